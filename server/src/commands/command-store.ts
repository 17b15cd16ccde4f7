import { sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import { pruneInBatches } from "../db/prune.ts";
import { readStatement, runStatement, statement } from "../db/statement.ts";

export interface CommandRow {
  id: string;
  device_id: string;
  topic: string;
  payload: Buffer;
  created_at: Date;
  created_by: string;
  expires_at: Date;
}

/** Returns the templates of the topics that a device's type allows it to subscribe to; none without a type. */
export async function subscribeTemplatesOf(tx: Tx, deviceUid: string): Promise<string[]> {
  const { rows } = await sql<{ subscribe_topics: string[] }>`
    SELECT y.subscribe_topics FROM shared_devices d JOIN shared_device_types y ON y.id = d.device_type_id
     WHERE d.uid = ${deviceUid}`.execute(tx);
  return rows[0]?.subscribe_topics ?? [];
}

/** Returns the number of pending commands of a device whose row the transaction has locked. */
export async function countWaiting(tx: Tx, deviceUid: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) FROM device_commands WHERE device_uid = ${deviceUid} AND expires_at > ${now}`.execute(tx);
  return Number(rows[0]!.count);
}

/** Adds a command; every process is notified of it after the commit. */
export async function insertCommand(
  tx: Tx,
  row: Omit<CommandRow, "device_id"> & { tenant_id: string; device_uid: string },
): Promise<void> {
  await tx.insertInto("device_commands").values(row).execute();
  await sql`SELECT pg_notify('muster_commands', ${row.device_uid})`.execute(tx);
}

/** @returns the topic of the deleted command; `undefined` if none is pending under this id */
export async function deleteCommand(tx: Tx, deviceUid: string, id: string, now: Date): Promise<string | undefined> {
  const { rows } = await sql<{ topic: string }>`
    DELETE FROM device_commands WHERE device_uid = ${deviceUid} AND id = ${id} AND expires_at > ${now}
    RETURNING topic`.execute(tx);
  return rows[0]?.topic;
}

/** Deletes the pending commands of a device, together with the device. */
export async function deleteCommandsOf(tx: Tx, deviceUid: string): Promise<void> {
  await tx.deleteFrom("device_commands").where("device_uid", "=", deviceUid).execute();
}

/** Deletes every command of a database that no process serves. */
export async function deleteAllCommands(tx: Tx): Promise<void> {
  await tx.deleteFrom("device_commands").execute();
}

/** Returns the pending commands of a device, oldest first; `undefined` if there is no such device. */
export async function listCommandRows(
  db: Db,
  tenantId: string,
  deviceId: string,
  { viewer, now }: { viewer: string | undefined; now: Date },
): Promise<CommandRow[] | undefined> {
  const { rows } = await sql<CommandRow | { id: null }>`
    SELECT c.id, d.id AS device_id, c.topic, c.payload, c.created_at, c.created_by, c.expires_at
      FROM shared_devices d LEFT JOIN device_commands c ON c.device_uid = d.uid AND c.expires_at > ${now}
     WHERE d.tenant_id = ${tenantId} AND d.id = ${deviceId} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
     ORDER BY c.position`.execute(db);
  if (rows.length === 0) return undefined;
  return rows.filter((row) => row.id !== null);
}

/** A command as the broker sends it. */
export interface WaitingCommand {
  id: string;
  topic: string;
  payload: Buffer;
  expiresAt: Date;
}

export interface CommandRequest {
  deviceUid: string;
  /** The topics that the device subscribes to. */
  topics: string[];
  /** The ids of the commands that it has already been sent. */
  sent: string[];
  limit: number;
}

const waiting = statement<CommandRequest & { now: Date }, WaitingCommand>(
  "waiting-commands",
  (p) => sql`
  SELECT id, topic, payload, expires_at AS "expiresAt" FROM device_commands
   WHERE device_uid = ${p.deviceUid}::uuid AND expires_at > ${p.now}::timestamptz
     AND topic = ANY (${p.topics}::text[]) AND NOT id = ANY (${p.sent}::uuid[])
   ORDER BY position LIMIT ${p.limit}::bigint`,
);

/** Returns the oldest commands to send to a device. */
export async function readWaiting(db: Db, request: CommandRequest, now: Date): Promise<WaitingCommand[]> {
  return await readStatement(db, waiting, { ...request, now });
}

const acknowledged = statement<{ ids: string[] }, object>(
  "acknowledged-commands",
  (p) => sql`DELETE FROM device_commands WHERE id = ANY (${p.ids}::uuid[])`,
);

export async function deleteAcknowledged(db: Db, ids: string[]): Promise<void> {
  await runStatement(db, acknowledged, { ids });
}

/** Returns the devices for which commands were added since `after`. */
export async function devicesOfNew(db: Db, after: Date): Promise<string[]> {
  const { rows } = await sql<{ device_uid: string }>`
    SELECT DISTINCT device_uid FROM device_commands WHERE created_at > ${after}`.execute(db);
  return rows.map((row) => row.device_uid);
}

/** Deletes expired commands. */
export async function pruneExpired(db: Db, now: Date, stopped?: AbortSignal): Promise<void> {
  await pruneInBatches(
    async (limit) => {
      const { numAffectedRows } = await sql`
        DELETE FROM device_commands WHERE position = ANY (ARRAY(
          SELECT position FROM device_commands WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}))`.execute(
        db,
      );
      return Number(numAffectedRows ?? 0);
    },
    { stopped },
  );
}
