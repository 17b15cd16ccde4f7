import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Viewer, visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import type { CommandState } from "./command-record.ts";
import { COMMAND_COLUMNS, type CommandRow } from "./command-store.ts";

/** Finds a command of a live device that `viewer` sees. */
export async function findCommandRow(
  db: Db,
  tenantId: string,
  { deviceId, id, viewer }: { deviceId: string; id: string; viewer: Viewer },
): Promise<CommandRow | undefined> {
  const { rows } = await sql<CommandRow>`
    SELECT ${COMMAND_COLUMNS} FROM device_commands c JOIN shared_devices d ON d.uid = c.device_uid
     WHERE c.id = ${id} AND d.tenant_id = ${tenantId} AND d.id = ${deviceId} AND d.deleted_at IS NULL
       AND ${visibleDevice(viewer, "d.uid")}`.execute(db);
  return rows[0];
}

export interface CommandFilter {
  batchId?: string | undefined;
  state?: CommandState | undefined;
  viewer: Viewer;
  now: Date;
  /** Selects only commands before this position. */
  cursor?: string | undefined;
  limit: number;
}

/** Lists commands of live devices that `viewer` sees, newest first. */
export async function findCommandRows(
  db: Db,
  tenantId: string,
  { batchId, state, viewer, now, cursor, limit }: CommandFilter,
): Promise<(CommandRow & { position: string })[]> {
  const conditions = [
    sql<SqlBool>`c.tenant_id = ${tenantId}`,
    ...(batchId === undefined ? [] : [sql<SqlBool>`c.batch_id = ${batchId}`]),
    ...(state === undefined ? [] : [isInState(state, now)]),
    ...(cursor === undefined ? [] : [sql<SqlBool>`c.position < ${cursor}::bigint`]),
  ];
  const { rows } = await sql<CommandRow & { position: string }>`
    SELECT ${COMMAND_COLUMNS}, c.position::text AS position
      FROM device_commands c JOIN shared_devices d ON d.uid = c.device_uid
     WHERE ${sql.join(conditions, sql` AND `)} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
     ORDER BY c.position DESC LIMIT ${limit}::bigint`.execute(db);
  return rows;
}

function isInState(state: CommandState, now: Date): RawBuilder<SqlBool> {
  if (state === "waiting") return sql<SqlBool>`c.outcome IS NULL AND c.expires_at > ${now} AND c.sent_at IS NULL`;
  if (state === "sent") return sql<SqlBool>`c.outcome IS NULL AND c.expires_at > ${now} AND c.sent_at IS NOT NULL`;
  if (state === "expired")
    return sql<SqlBool>`(c.outcome = 'expired' OR (c.outcome IS NULL AND c.expires_at <= ${now}))`;
  return sql<SqlBool>`c.outcome = ${state}`;
}
