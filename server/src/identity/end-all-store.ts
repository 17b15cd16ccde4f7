import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";

/**
 * Ends every session of the admin app, and every link for set-up, invitation and reset. Fires `user_sessions_ended`.
 */
export async function endSessionsAndLinks(tx: Tx): Promise<{ sessions: number; links: number }> {
  const links = await tx.deleteFrom("one_time_links").returning("id").execute();
  const sessions = await tx.deleteFrom("user_sessions").returning("id").execute();
  return { sessions: sessions.length, links: links.length };
}

/** Deletes every second factor. @returns how many there were */
export async function deleteAllFactors(tx: Tx): Promise<{ apps: number; passkeys: number }> {
  const apps = await tx.deleteFrom("user_factors").returning("confirmed_at").execute();
  const passkeys = await tx.deleteFrom("passkeys").returning("id").execute();
  return { apps: apps.filter(({ confirmed_at }) => confirmed_at !== null).length, passkeys: passkeys.length };
}

/** Deletes every recovery code. @returns how many there were */
export async function deleteAllRecoveryCodes(tx: Tx): Promise<number> {
  return (await tx.deleteFrom("recovery_codes").returning("user_id").execute()).length;
}

/** The second factors of a later state of a database. */
export interface FactorEndings {
  factors: { id: string; user_id: string }[];
  passkeys: object[];
  recoveryCodes: object[];
}

export async function readFactorEndings(db: Db): Promise<FactorEndings> {
  const { rows: factors } = await sql<{ id: string; user_id: string }>`
    SELECT id, user_id, encode(secret, 'hex') AS secret, created_at, confirmed_at, last_step FROM user_factors
     WHERE confirmed_at IS NOT NULL`.execute(db);
  const { rows: recoveryCodes } = await sql<object>`
    SELECT user_id, encode(code_sha256, 'hex') AS code FROM recovery_codes`.execute(db);
  const { rows: passkeys } = await sql<object>`
    SELECT id, user_id, name, encode(credential_id, 'hex') AS credential, encode(public_key, 'hex') AS key, sign_count,
           transports, created_at, last_used_at FROM passkeys`.execute(db);
  return { factors, passkeys, recoveryCodes };
}

/**
 * Gives the users of a restored database the second factors and recovery codes of the later state, and no others.
 *
 * @param readable whether the same master key sealed both
 * @returns the users whose later factor cannot be carried over, so that their credentials must be ended
 */
export async function carryFactors(
  tx: Tx,
  { factors, passkeys, recoveryCodes }: FactorEndings,
  readable: boolean,
): Promise<string[]> {
  const later = sql`json_to_recordset(${JSON.stringify(factors)}::json) AS p (id uuid, user_id uuid, secret text,
    created_at timestamptz, confirmed_at timestamptz, last_step integer)`;
  await sql`DELETE FROM user_factors f WHERE f.confirmed_at IS NULL OR NOT EXISTS (SELECT FROM ${later} WHERE p.id = f.id)`.execute(
    tx,
  );
  await tx.deleteFrom("recovery_codes").execute();
  await sql`UPDATE user_factors f SET last_step = greatest(f.last_step, p.last_step) FROM ${later} WHERE p.id = f.id`.execute(
    tx,
  );
  if (readable)
    await sql`
      INSERT INTO user_factors (id, user_id, secret, created_at, confirmed_at, last_step)
      SELECT p.id, p.user_id, decode(p.secret, 'hex'), p.created_at, p.confirmed_at, p.last_step
        FROM ${later} JOIN shared_users u ON u.id = p.user_id AND u.deleted_at IS NULL
      ON CONFLICT DO NOTHING`.execute(tx);
  await carryPasskeys(tx, passkeys);
  await sql`
    INSERT INTO recovery_codes (user_id, code_sha256)
    SELECT p.user_id, decode(p.code, 'hex')
      FROM json_to_recordset(${JSON.stringify(recoveryCodes)}::json) AS p (user_id uuid, code text)
     WHERE EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = p.user_id)`.execute(tx);
  const { rows } = await sql<{ user_id: string }>`
    SELECT p.user_id FROM ${later} JOIN shared_users u ON u.id = p.user_id AND u.deleted_at IS NULL
     WHERE NOT EXISTS (SELECT FROM user_factors f WHERE f.id = p.id)`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

/** Replaces all passkeys by those of the later state, whose signature counters are the newest. */
async function carryPasskeys(tx: Tx, passkeys: readonly object[]): Promise<void> {
  await tx.deleteFrom("passkeys").execute();
  await sql`
    INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, created_at, last_used_at)
    SELECT p.id, p.user_id, p.name, decode(p.credential, 'hex'), decode(p.key, 'hex'), p.sign_count, p.transports,
           p.created_at, p.last_used_at
      FROM json_to_recordset(${JSON.stringify(passkeys)}::json) AS p (id uuid, user_id uuid, name text, credential text,
             key text, sign_count bigint, transports text[], created_at timestamptz, last_used_at timestamptz)
      JOIN shared_users u ON u.id = p.user_id AND u.deleted_at IS NULL`.execute(tx);
}
