import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";

/**
 * Blocks a key. From then on, a trigger refuses to record certificates for it. The trigger and this function take the
 * same lock per key, so an issuance decided earlier is either recorded by now or refused.
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

/** Lists the devices, of every tenant, that have an unrevoked certificate with this key. */
export async function listDevicesWithKey(tx: Tx, spkiSha256: Buffer): Promise<string[]> {
  const { rows } = await sql<{ device_uid: string }>`
    SELECT DISTINCT device_uid FROM certificates WHERE spki_sha256 = ${spkiSha256}::bytea AND revoked_at IS NULL`.execute(
    tx,
  );
  return rows.map(({ device_uid }) => device_uid);
}

/** Returns the SHA-256 of the SPKI of a certificate's key. */
export async function findKeyOfCertificate(db: Db, certificateId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("certificates")
    .select("spki_sha256")
    .where("id", "=", certificateId)
    .executeTakeFirst();
  return row?.spki_sha256;
}
