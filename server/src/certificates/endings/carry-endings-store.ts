import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** The certificates and keys that a later state of a database refuses. */
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

/** A certificate that is valid in a later state of a database. */
export interface LaterCertificate {
  fingerprint: string;
  device: string;
  ends: Date;
}

/** The greatest difference between the order of commits and that of issue times. */
const ORDER_INTERVAL = "1 hour";

/** Returns when the newest certificate was issued, or `null` without any. */
export async function newestIssue(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`SELECT max(issued_at) AS at FROM certificates`.execute(db);
  return rows[0]!.at;
}

/** Lists the unrevoked certificates issued since about `since`; `null` lists all. */
export async function listIssuedSince(db: Db, since: Date | null): Promise<LaterCertificate[]> {
  const { rows } = await sql<LaterCertificate>`
    SELECT fingerprint_sha256 AS fingerprint, device_uid AS device, not_after AS ends FROM certificates
     WHERE revoked_at IS NULL
       AND issued_at > coalesce(${since}::timestamptz - ${ORDER_INTERVAL}::interval, '-infinity')`.execute(db);
  return rows;
}

/** Counts the devices of those unexpired certificates that a restored database does not know. */
export async function countUnknownDevices(tx: Tx, issued: readonly LaterCertificate[], now: Date): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    SELECT count(DISTINCT p.device)::int AS devices
      FROM json_to_recordset(${JSON.stringify(issued)}::json) AS p (fingerprint text, device uuid, ends timestamptz)
     WHERE p.ends > ${now} AND NOT EXISTS (SELECT FROM certificates c WHERE c.fingerprint_sha256 = p.fingerprint)`.execute(
    tx,
  );
  return rows[0]!.devices;
}

/** Counts the certificates that are neither revoked nor expired. */
export async function countLiveCertificates(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    SELECT count(*)::int AS live FROM certificates WHERE revoked_at IS NULL AND not_after > ${now}`.execute(db);
  return rows[0]!.live;
}

/** Lists at most `limit` devices that have an unrevoked certificate. */
export async function listDevicesWithCertificate(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ device_uid: string }>`
    SELECT DISTINCT device_uid FROM certificates WHERE revoked_at IS NULL LIMIT ${limit}`.execute(db);
  return rows.map(({ device_uid }) => device_uid);
}
