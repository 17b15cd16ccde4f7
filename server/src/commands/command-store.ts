import { type RawBuilder, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import { pruneInBatches } from "../db/prune.ts";
import { readStatement, runStatement, statement } from "../db/statement.ts";
import { addMs, DAY } from "../lib/clock.ts";
import { stored } from "../lib/limits/stored.ts";

export interface CommandRow {
  id: string;
  device_id: string;
  topic: string;
  payload: Buffer;
  created_at: Date;
  created_by: string;
  expires_at: Date;
  sent_at: Date | null;
  outcome: "acknowledged" | "cancelled" | "expired" | null;
  ended_at: Date | null;
}

/** A command to insert. */
export type NewCommandRow = Omit<CommandRow, "device_id" | "sent_at" | "outcome" | "ended_at"> & {
  tenant_id: string;
  device_uid: string;
};

/** SQL: the columns of a {@link CommandRow} of the command `c` for the device `d`. */
export const COMMAND_COLUMNS = sql`c.id, d.id AS device_id, c.topic, c.payload, c.created_at, c.created_by,
  c.expires_at, c.sent_at, c.outcome, c.ended_at`;

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
    SELECT count(*) FROM device_commands
     WHERE device_uid = ${deviceUid} AND outcome IS NULL AND expires_at > ${now}`.execute(tx);
  return Number(rows[0]!.count);
}

/** Adds a command, and deletes the oldest ended ones. Every process is notified of it after the commit. */
export async function insertCommand(tx: Tx, row: NewCommandRow): Promise<void> {
  await tx.insertInto("device_commands").values(row).execute();
  await sql`SELECT pg_notify('muster_commands', ${row.device_uid})`.execute(tx);
  await deleteOldest(tx, [row.device_uid]);
}

/** Deletes the oldest ended commands of devices beyond the number that is kept. */
export async function deleteOldest(tx: Tx, deviceUids: readonly string[]): Promise<void> {
  await sql`DELETE FROM device_commands WHERE position = ANY (ARRAY(
    SELECT c.position FROM unnest(${[...deviceUids]}::uuid[]) AS d (uid) CROSS JOIN LATERAL (
      SELECT position FROM device_commands WHERE device_uid = d.uid AND outcome IS NOT NULL
       ORDER BY position DESC OFFSET ${sql.lit(stored.endedCommandsOfDevice.value)}) c))`.execute(tx);
}

/** @returns the topic of the cancelled command; `undefined` if none is pending under this id */
export async function cancelRow(tx: Tx, deviceUid: string, id: string, now: Date): Promise<string | undefined> {
  const { rows } = await sql<{ topic: string }>`
    UPDATE device_commands SET outcome = 'cancelled', ended_at = ${now}
     WHERE device_uid = ${deviceUid} AND id = ${id} AND outcome IS NULL AND expires_at > ${now}
    RETURNING topic`.execute(tx);
  return rows[0]?.topic;
}

/** Deletes the commands of a device, together with the device. */
export async function deleteCommandsOf(tx: Tx, deviceUid: string): Promise<void> {
  await tx.deleteFrom("device_commands").where("device_uid", "=", deviceUid).execute();
}

/** Deletes every command of a database that no process serves. */
export async function deleteAllCommands(tx: Tx): Promise<void> {
  await tx.deleteFrom("device_commands").execute();
}

/**
 * Returns the commands of a device: the pending ones, oldest first, or all of them, newest first; `undefined` if there
 * is no such device.
 */
export async function listCommandRows(
  db: Db,
  tenantId: string,
  deviceId: string,
  { viewer, now, all = false }: { viewer: string | undefined; now: Date; all?: boolean },
): Promise<CommandRow[] | undefined> {
  const which = all ? sql`true` : sql`c.outcome IS NULL AND c.expires_at > ${now}`;
  const { rows } = await sql<CommandRow | { id: null }>`
    SELECT ${COMMAND_COLUMNS} FROM shared_devices d LEFT JOIN device_commands c ON c.device_uid = d.uid AND ${which}
     WHERE d.tenant_id = ${tenantId} AND d.id = ${deviceId} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
     ORDER BY c.position ${sql.raw(all ? "DESC" : "ASC")}`.execute(db);
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
   WHERE device_uid = ${p.deviceUid}::uuid AND outcome IS NULL AND expires_at > ${p.now}::timestamptz
     AND topic = ANY (${p.topics}::text[]) AND NOT id = ANY (${p.sent}::uuid[])
   ORDER BY position LIMIT ${p.limit}::bigint`,
);

const sent = statement<{ ids: string[]; now: Date }, { id: string }>(
  "sent-commands",
  (p) => sql`
  UPDATE device_commands SET sent_at = coalesce(sent_at, ${p.now}::timestamptz)
   WHERE id = ANY (${p.ids}::uuid[]) AND outcome IS NULL RETURNING id`,
);

/** The next commands for a device. */
export interface WaitingCommands {
  commands: WaitingCommand[];
  /** Whether there may be further ones. */
  more: boolean;
}

/** Returns the oldest commands to send to a device, recorded as sent. */
export async function takeWaiting(db: Db, request: CommandRequest, now: Date): Promise<WaitingCommands> {
  const found = await readStatement(db, waiting, { ...request, now });
  if (found.length === 0) return { commands: [], more: false };
  const rows = await runStatement(db, sent, { ids: found.map(({ id }) => id), now });
  // A command that was cancelled in between is not sent.
  const recorded = new Set(rows.map(({ id }) => id));
  return { commands: found.filter(({ id }) => recorded.has(id)), more: found.length === request.limit };
}

const acknowledged = statement<{ ids: string[]; now: Date }, object>(
  "acknowledged-commands",
  (p) => sql`
  UPDATE device_commands SET outcome = 'acknowledged', ended_at = ${p.now}::timestamptz
   WHERE id = ANY (${p.ids}::uuid[]) AND outcome IS DISTINCT FROM 'acknowledged'`,
);

/** Records acknowledgements. They prevail over a cancellation or an expiry in the meantime: the device has them. */
export async function recordAcknowledged(db: Db, ids: string[], now: Date): Promise<void> {
  await runStatement(db, acknowledged, { ids, now });
}

/** Returns the devices for which commands were added since `after`. */
export async function devicesOfNew(db: Db, after: Date): Promise<string[]> {
  const { rows } = await sql<{ device_uid: string }>`
    SELECT DISTINCT device_uid FROM device_commands WHERE created_at > ${after}`.execute(db);
  return rows.map((row) => row.device_uid);
}

/** Ends expired commands, and deletes those that ended long ago. */
export async function pruneCommands(db: Db, now: Date, stopped?: AbortSignal): Promise<void> {
  const batch = (query: (limit: number) => RawBuilder<unknown>) => async (limit: number) =>
    Number((await query(limit).execute(db)).numAffectedRows ?? 0);
  await pruneInBatches(
    batch(
      (limit) => sql`UPDATE device_commands SET outcome = 'expired', ended_at = expires_at
        WHERE outcome IS NULL AND position = ANY (ARRAY(SELECT position FROM device_commands
          WHERE outcome IS NULL AND expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}))`,
    ),
    { stopped },
  );
  await pruneInBatches(
    batch(
      (limit) => sql`DELETE FROM device_commands WHERE position = ANY (ARRAY(SELECT position FROM device_commands
        WHERE outcome IS NOT NULL AND ended_at <= ${addMs(now, -RETENTION_MS)} ORDER BY ended_at LIMIT ${limit}))`,
    ),
    { stopped },
  );
}

/** The retention of ended commands. */
const RETENTION_MS = 7 * DAY;
