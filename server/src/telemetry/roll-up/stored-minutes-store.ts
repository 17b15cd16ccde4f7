import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { type DeviceHour, given, spansOf } from "../chunks/device-hours-store.ts";
import type { StoredMinutes } from "./hour-aggregates.ts";
import { decodeMinutes } from "./minutes-codec.ts";

interface ChunkMinutes {
  metrics: string[];
  retention_days: number;
  minutes: Buffer;
  minute_ends: number[];
}

/** Loads the minutes stored with the chunks of an hour, in the order of its slices. */
export async function loadMinutes(tx: Tx, hour: DeviceHour): Promise<StoredMinutes[]> {
  const { rows: c, within } = given([hour], spansOf([hour]));
  const { rows } = await sql<ChunkMinutes>`
    SELECT s.metrics, k.retention_days, k.minutes, k.minute_ends
      FROM ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
      JOIN telemetry_chunks k ON k.shape_no = s.shape_no AND ${within(sql`k.ts`)}
     WHERE k.minutes IS NOT NULL ORDER BY k.ts`.execute(tx);
  return rows.flatMap((chunk) => minutesOf(chunk, hour.hour.getTime() * 1_000));
}

function minutesOf({ metrics, retention_days, minutes, minute_ends }: ChunkMinutes, hour: number): StoredMinutes[] {
  return metrics.flatMap((metric, place) => {
    const [first, past] = [minute_ends[place - 1] ?? 0, minute_ends[place]!];
    if (past === first) return [];
    return [{ metric, retentionDays: retention_days, minutes: decodeMinutes(minutes.subarray(first, past), hour) }];
  });
}
