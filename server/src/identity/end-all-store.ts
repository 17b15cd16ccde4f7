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

/** Deletes every second factor with its recovery codes. @returns how many users had one */
export async function deleteAllFactors(tx: Tx): Promise<number> {
  const deleted = await tx.deleteFrom("user_factors").returning("confirmed_at").execute();
  return deleted.filter(({ confirmed_at }) => confirmed_at !== null).length;
}

/** Deletes every recovery code. @returns how many there were */
export async function deleteAllRecoveryCodes(tx: Tx): Promise<number> {
  return (await tx.deleteFrom("recovery_codes").returning("factor_id").execute()).length;
}

/** The second factors of a later state of a database. */
export interface FactorEndings {
  factors: { id: string; user_id: string }[];
  recoveryCodes: object[];
}

export async function readFactorEndings(db: Db): Promise<FactorEndings> {
  const { rows: factors } = await sql<{ id: string; user_id: string }>`
    SELECT id, user_id, encode(secret, 'hex') AS secret, created_at, confirmed_at, last_step FROM user_factors
     WHERE confirmed_at IS NOT NULL`.execute(db);
  const { rows: recoveryCodes } = await sql<object>`
    SELECT factor_id, encode(code_sha256, 'hex') AS code FROM recovery_codes`.execute(db);
  return { factors, recoveryCodes };
}

/**
 * Gives the users of a restored database the second factors and recovery codes of the later state, and no others.
 *
 * @param readable whether the same master key sealed both
 * @returns the users whose later factor cannot be carried over, so that their credentials must be ended
 */
export async function carryFactors(
  tx: Tx,
  { factors, recoveryCodes }: FactorEndings,
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
  await sql`
    INSERT INTO recovery_codes (factor_id, code_sha256)
    SELECT p.factor_id, decode(p.code, 'hex')
      FROM json_to_recordset(${JSON.stringify(recoveryCodes)}::json) AS p (factor_id uuid, code text)
      JOIN user_factors f ON f.id = p.factor_id`.execute(tx);
  const { rows } = await sql<{ user_id: string }>`
    SELECT p.user_id FROM ${later} JOIN shared_users u ON u.id = p.user_id AND u.deleted_at IS NULL
     WHERE NOT EXISTS (SELECT FROM user_factors f WHERE f.id = p.id)`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}
