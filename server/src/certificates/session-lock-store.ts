import { type RawBuilder, sql } from "kysely";

/**
 * The certificates, by which sessions are being opened, that are not revoked, locked until the sessions are recorded. A revocation locks them FOR
 * UPDATE, and so waits for this statement, or this one for its commit: then it reads the present row rather than that of its beginning. The lock
 * conflicts with no other update of a certificate.
 *
 * @param asked FROM item whose rows `n` have `certificate_id`, which may be NULL
 * @param orSuperseded for sessions that were opened before a renewal
 */
export function lockForSessions(
  asked: RawBuilder<unknown>,
  { orSuperseded = false }: { orSuperseded?: boolean } = {},
): RawBuilder<unknown> {
  const isSuperseded = orSuperseded ? sql`c.revocation_reason = 'superseded'` : sql`false`;
  return sql`
    SELECT c.id FROM ${asked} n JOIN certificates c ON c.id = n.certificate_id
     WHERE c.revoked_at IS NULL OR ${isSuperseded} ORDER BY c.id FOR KEY SHARE OF c`;
}
