import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";

/**
 * Blocks a key. From then on, a trigger refuses every certificate that would be recorded for it: it and this take one lock a key, so
 * an issuance that was decided before is either recorded by now, or refused.
 *
 * @returns false when it was blocked before
 */
export async function blockKey(tx: Tx, spkiSha256: Buffer, now: Date): Promise<boolean> {
  await sql`SELECT lock_certified_key(${spkiSha256}::bytea)`.execute(tx);
  const { rows } = await sql`
    INSERT INTO blocked_keys (spki_sha256, reason, blocked_at) VALUES (${spkiSha256}::bytea, 'compromised', ${now})
    ON CONFLICT DO NOTHING RETURNING 1`.execute(tx);
  return rows.length > 0;
}

/** The devices, of every tenant, that have a certificate with this key that is not revoked. */
export async function listDevicesWithKey(tx: Tx, spkiSha256: Buffer): Promise<string[]> {
  const { rows } = await sql<{ device_uid: string }>`
    SELECT DISTINCT device_uid FROM certificates WHERE spki_sha256 = ${spkiSha256}::bytea AND revoked_at IS NULL`.execute(
    tx,
  );
  return rows.map(({ device_uid }) => device_uid);
}

/** The SHA-256 of the SPKI of a certificate's key. */
export async function findKeyOfCertificate(db: Db, certificateId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("certificates")
    .select("spki_sha256")
    .where("id", "=", certificateId)
    .executeTakeFirst();
  return row?.spki_sha256;
}
