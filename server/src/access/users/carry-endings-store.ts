import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** The access rights in a later state of a database, which a restored earlier state must not exceed. */
export interface AccessEndings {
  users: object[];
  /** Revoked API keys, and those that a rotation ends. */
  keys: object[];
  /** The tenants that require a second factor of their admins. */
  tenantsWithFactorRule: string[];
}

export async function readAccessEndings(db: Db): Promise<AccessEndings> {
  const { rows: users } = await sql<object>`
    SELECT id, status, deleted_at, role, platform, password_hash, password_drawn, ends_at FROM users`.execute(db);
  const { rows: keys } = await sql<object>`
    SELECT id, revoked_at, revoked_by, revocation_reason, expires_at FROM api_keys k
     WHERE revoked_at IS NOT NULL OR EXISTS (SELECT FROM api_keys s WHERE s.replaces = k.id)`.execute(db);
  const { rows } = await sql<{ id: string }>`SELECT id FROM tenants WHERE admins_need_factor`.execute(db);
  return { users, keys, tenantsWithFactorRule: rows.map(({ id }) => id) };
}

/**
 * Limits the users and keys of a restored database to their rights in the later state. Deleted and deactivated users
 * stay so, the lower role wins, the later password applies, and keys stay revoked or replaced. Fires `api_keys_ended`,
 * `tenants_factor_rule`, `users_factors_end`, `users_keys_owner`, `users_mqtt_clients`, `users_sessions_end`.
 *
 * @returns how many users and keys this changed
 */
export async function carryAccessEndings(
  tx: Tx,
  { users, keys, tenantsWithFactorRule }: AccessEndings,
): Promise<{ users: number; apiKeys: number }> {
  await sql`
    UPDATE tenants SET admins_need_factor = true
     WHERE id = ANY (${tenantsWithFactorRule}::uuid[]) AND NOT admins_need_factor`.execute(tx);
  const changed = await sql`
    WITH later AS (
      SELECT p.*, CASE WHEN rank_of.own <= rank_of.later THEN u.role ELSE p.role END AS least_role,
             coalesce(u.deleted_at, p.deleted_at) AS ended_at,
             CASE WHEN u.status = 'deactivated' THEN u.status ELSE p.status END AS least_status
        FROM json_to_recordset(${JSON.stringify(users)}::json) AS p (id uuid, status text, deleted_at timestamptz, role text,
             platform boolean, password_hash text, password_drawn boolean, ends_at timestamptz)
        JOIN users u ON u.id = p.id AND u.deleted_at IS NULL
       CROSS JOIN LATERAL (SELECT array_position(${ROLES}::text[], u.role) AS own, array_position(${ROLES}::text[], p.role) AS later) rank_of
    )
    UPDATE users u SET status = l.least_status, deleted_at = l.ended_at, role = l.least_role,
           platform = u.platform AND l.platform AND l.least_role = 'admin',
           password_hash = l.password_hash, password_drawn = l.password_drawn, ends_at = least(u.ends_at, l.ends_at)
      FROM later l WHERE l.id = u.id
       AND (u.status, u.deleted_at, u.role, u.platform, u.password_hash, u.ends_at) IS DISTINCT FROM
           (l.least_status, l.ended_at, l.least_role, u.platform AND l.platform AND l.least_role = 'admin', l.password_hash,
            least(u.ends_at, l.ends_at))
    RETURNING u.id`.execute(tx);
  const ended = await sql`
    UPDATE api_keys k SET revoked_at = p.revoked_at, revoked_by = p.revoked_by, revocation_reason = p.revocation_reason,
           expires_at = least(k.expires_at, p.expires_at)
      FROM json_to_recordset(${JSON.stringify(keys)}::json) AS p (id text, revoked_at timestamptz, revoked_by text,
           revocation_reason text, expires_at timestamptz)
     WHERE k.id = p.id AND k.revoked_at IS NULL
       AND (p.revoked_at IS NOT NULL OR p.expires_at < coalesce(k.expires_at, 'infinity'))
    RETURNING k.id`.execute(tx);
  return { users: changed.rows.length, apiKeys: ended.rows.length };
}

/** The roles from the least on. */
const ROLES = ["viewer", "operator", "admin"];
