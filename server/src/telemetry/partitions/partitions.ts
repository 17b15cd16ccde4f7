import type { Database } from "../../db/database.ts";
import { DAY } from "../../lib/clock.ts";
import type { PreparedMessage, TelemetryColumns } from "../ingest/batch.ts";
import { makeDay, USUAL_RETENTION_DAYS, unusualTenants } from "./partition-store.ts";

/** The database says here that a tenant keeps its telemetry for another time (migration 0008). */
const CHANGED = "muster_retention";
const DAY_US = DAY * 1000;

/** For how many days a row is kept: 0 is not at all, `undefined` is {@link USUAL_RETENTION_DAYS}. */
export type Kept = number | undefined;

/**
 * Where rows go: how long their tenant keeps them, and a partition for their day. Both are remembered, so that a batch
 * costs no question; what is remembered wrongly is found out when the batch is stored.
 */
export interface TelemetryDays {
  /** For each row how long it is kept, empty when all are kept as long as usual. Their partitions are there then. */
  of(messages: readonly PreparedMessage[], columns: TelemetryColumns, nowMs: number): Promise<Kept[]>;
  /** Has everything looked at again. */
  forget(): void;
}

export function createTelemetryDays(database: Pick<Database, "db" | "listen">): TelemetryDays {
  const { db } = database;
  const made = new Set<string>();
  let unusual: ReadonlyMap<string, number> | undefined;
  let listening: Promise<unknown> | undefined;
  /** Counts the changes heard of: what is loaded while one arrives may be older than it. */
  let changes = 0;

  function changed(): void {
    changes++;
    unusual = undefined;
  }

  async function unusualOnes(): Promise<ReadonlyMap<string, number>> {
    if (unusual) return unusual;
    listening ??= database.listen(CHANGED, changed);
    await listening.catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
    const before = changes;
    const loaded = await unusualTenants(db);
    if (changes === before) unusual = loaded;
    return loaded;
  }

  async function make(key: string): Promise<void> {
    const [retentionDays, day] = key.split(" ").map(Number) as [number, number];
    await makeDay(db, { retentionDays, day });
    made.add(key);
  }

  return {
    async of(messages, columns, nowMs) {
      const kept = keptFor(messages, columns, await unusualOnes(), nowMs);
      for (const key of daysOf(columns.times, kept)) if (!made.has(key)) await make(key);
      return kept;
    },
    forget() {
      made.clear();
      unusual = undefined;
    },
  };
}

/** A row older than what its tenant keeps is not stored at all: its day may be gone already. */
export function keptFor(
  messages: readonly PreparedMessage[],
  { deviceUids, times }: Pick<TelemetryColumns, "deviceUids" | "times">,
  unusual: ReadonlyMap<string, number>,
  nowMs: number,
): Kept[] {
  const byDevice = new Map<string, number>();
  if (unusual.size === 0) return [];
  for (const { deviceUid, tenantId } of messages) {
    const days = unusual.get(tenantId);
    if (days !== undefined) byDevice.set(deviceUid, days);
  }
  if (byDevice.size === 0) return [];
  return deviceUids.map((uid, row) => {
    const days = byDevice.get(uid);
    return days !== undefined && times[row]! < (nowMs - days * DAY) * 1000 ? 0 : days;
  });
}

/** The partitions of rows, each as `<days kept> <day since 1970>`. */
export function daysOf(times: readonly number[], kept: readonly Kept[]): Set<string> {
  const days = new Set<string>();
  let [lastKept, lastDay]: [Kept, number] = [undefined, -1];
  for (let row = 0; row < times.length; row++) {
    const day = Math.floor(times[row]! / DAY_US);
    if (day === lastDay && kept[row] === lastKept) continue;
    [lastKept, lastDay] = [kept[row], day];
    if (lastKept !== 0) days.add(`${lastKept ?? USUAL_RETENTION_DAYS} ${day}`);
  }
  return days;
}
