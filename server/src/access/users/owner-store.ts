import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { type Caller, userIdOf } from "../caller.ts";
import { insufficientRole } from "../errors.ts";

/**
 * Returns the admin who owns what the transaction creates: for a key its owner, for the shell null. The user's role and
 * status stay locked until the transaction ends, so a later change of them finds the created records. Take this lock
 * before those of what the user owns.
 *
 * @throws MusterError insufficient_role when the user is no longer an active admin
 */
export async function lockOwner(tx: Tx, caller: Caller): Promise<string | null> {
  const id = caller.rights.kind === "key" ? caller.rights.owner.userId : userIdOf(caller);
  if (id === null) return null;
  const { rows } = await sql`
    SELECT FROM users WHERE id = ${id} AND tenant_id = ${caller.tenantId} AND role = 'admin' AND status = 'active'
       AND deleted_at IS NULL FOR SHARE`.execute(tx);
  if (rows.length === 0) throw insufficientRole("admin");
  return id;
}

/** An MQTT client that works as long as its owner is an active admin. */
export interface OwnedClientRow {
  id: string;
  client_id: string;
  username: string;
  connected: boolean;
}

/** Lists an owner's MQTT clients that are enabled and not suspended, by client id. */
export async function listClientsOf(db: Db, tenantId: string, userId: string): Promise<OwnedClientRow[]> {
  const { rows } = await sql<OwnedClientRow>`
    SELECT c.id, c.client_id, c.username, EXISTS (
             SELECT FROM shared_mqtt_sessions s WHERE s.client_id = c.client_id AND s.device_uid IS NULL) AS connected
      FROM shared_mqtt_clients c
     WHERE c.tenant_id = ${tenantId} AND c.owner_id = ${userId} AND c.disabled_at IS NULL AND NOT c.suspended
     ORDER BY c.client_id`.execute(db);
  return rows;
}
