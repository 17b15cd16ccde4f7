import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** What a later state of a database refuses. */
export interface CertificateEndings {
  /** The fingerprints of revoked certificates. */
  revoked: string[];
  blockedKeys: object[];
}

export async function readCertificateEndings(db: Db): Promise<CertificateEndings> {
  const revoked = await sql<{ fingerprint: string }>`
    SELECT fingerprint_sha256 AS fingerprint FROM certificates WHERE revoked_at IS NOT NULL`.execute(db);
  const blocked = await sql<object>`
    SELECT encode(spki_sha256, 'hex') AS spki, reason, blocked_at FROM blocked_keys`.execute(db);
  return { revoked: revoked.rows.map(({ fingerprint }) => fingerprint), blockedKeys: blocked.rows };
}

export async function carryBlockedKeys(tx: Tx, keys: readonly object[]): Promise<void> {
  await sql`
    INSERT INTO blocked_keys (spki_sha256, reason, blocked_at)
    SELECT decode(p.spki, 'hex'), p.reason, p.blocked_at
      FROM json_to_recordset(${JSON.stringify(keys)}::json) AS p (spki text, reason text, blocked_at timestamptz)
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** How many certificates are neither revoked nor expired. */
export async function countLiveCertificates(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    SELECT count(*)::int AS live FROM certificates WHERE revoked_at IS NULL AND not_after > ${now}`.execute(db);
  return rows[0]!.live;
}

/** At most `limit` devices that have a certificate which is not revoked. */
export async function listDevicesWithCertificate(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ device_uid: string }>`
    SELECT DISTINCT device_uid FROM certificates WHERE revoked_at IS NULL LIMIT ${limit}`.execute(db);
  return rows.map(({ device_uid }) => device_uid);
}
