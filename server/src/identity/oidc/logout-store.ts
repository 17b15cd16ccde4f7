import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../db/database.ts";

/** The sessions that a logout at a provider ends: those of a session there, or all of a person. */
export interface LoggedOut {
  tenantId: string;
  issuer: string;
  sid: string | undefined;
  sub: string | undefined;
}

/** A session that has ended, with its user. */
export interface EndedSession {
  id: string;
  userId: string;
  email: string;
}

/**
 * Ends the sessions that a provider's logout names. With `sid` and `sub`, sessions of the person whose id at the
 * provider is unknown end, too. Fires `user_sessions_ended`.
 */
export async function endLoggedOut(tx: Tx, { tenantId, issuer, sid, sub }: LoggedOut): Promise<EndedSession[]> {
  const ofPerson = sub === undefined ? sql`` : sql`AND i.subject = ${sub}`;
  const at = { tenantId, issuer };
  const bySession = sid === undefined ? [] : await endWhere(tx, at, sql`s.oidc_sid = ${sid} ${ofPerson}`);
  const unknown = sid === undefined ? sql`` : sql`AND s.oidc_sid IS NULL`;
  const byPerson = sub === undefined ? [] : await endWhere(tx, at, sql`i.subject = ${sub} ${unknown}`);
  return [...bySession, ...byPerson];
}

async function endWhere(
  tx: Tx,
  { tenantId, issuer }: Pick<LoggedOut, "tenantId" | "issuer">,
  which: RawBuilder<unknown>,
): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    DELETE FROM user_sessions s USING oidc_identities i, shared_users u
     WHERE i.tenant_id = ${tenantId} AND i.issuer = ${issuer} AND u.id = i.user_id AND s.user_id = i.user_id
       AND s.oidc_issuer = ${issuer} AND ${which}
    RETURNING s.id, s.user_id AS "userId", u.email`.execute(tx);
  return rows;
}

/**
 * Raises the time of a mark, and locks it until the transaction ends. Logouts and sign-ins of the same session or
 * person thus happen one after the other.
 *
 * @returns the time that the mark has now
 */
export async function raiseMark(tx: Tx, sha256: Buffer, until: Date): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    INSERT INTO used_oidc_answers AS a (sha256, expires_at) VALUES (${sha256}, ${until})
    ON CONFLICT (sha256) DO UPDATE SET expires_at = greatest(a.expires_at, excluded.expires_at)
    RETURNING expires_at AS until`.execute(tx);
  return rows[0]!.until;
}
