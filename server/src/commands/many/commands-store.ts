import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import type { NewCommandRow } from "../command-store.ts";

/** Returns the numbers of pending commands of devices, by uid; devices without any are missing. */
export async function countWaitingOf(tx: Tx, deviceUids: readonly string[], now: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ device_uid: string; count: string }>`
    SELECT device_uid, count(*) AS count FROM device_commands
     WHERE device_uid = ANY (${[...deviceUids]}::uuid[]) AND outcome IS NULL AND expires_at > ${now}
     GROUP BY device_uid`.execute(tx);
  return new Map(rows.map(({ device_uid, count }) => [device_uid, Number(count)]));
}

type CommonColumns = Omit<NewCommandRow, "id" | "device_uid" | "topic"> & { batch_id: string };

/** Adds commands that differ by device and topic. Every process is notified of them after the commit. */
export async function insertCommands(
  tx: Tx,
  common: CommonColumns,
  rows: readonly Pick<NewCommandRow, "id" | "device_uid" | "topic">[],
): Promise<void> {
  const column = (name: "id" | "device_uid" | "topic") => rows.map((row) => row[name]);
  await sql`
    WITH added AS (
      INSERT INTO device_commands (id, device_uid, topic, tenant_id, payload, created_at, created_by, expires_at, batch_id)
      SELECT n.id, n.device_uid, n.topic, ${common.tenant_id}::uuid, ${common.payload}::bytea,
             ${common.created_at}::timestamptz, ${common.created_by}::text, ${common.expires_at}::timestamptz,
             ${common.batch_id}::uuid
        FROM unnest(${column("id")}::uuid[], ${column("device_uid")}::uuid[], ${column("topic")}::text[])
          AS n (id, device_uid, topic)
      RETURNING device_uid)
    SELECT count(pg_notify('muster_commands', device_uid::text)) FROM added`.execute(tx);
}
