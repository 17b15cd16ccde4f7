import {
  certificateParameters,
  clientIdTaken,
  holdClientId,
  type IssuedCertificate,
  insertCertificate,
} from "../certificates/certificates.ts";
import { type Db, runRaw, type Tx } from "../db/database.ts";
import { refusalCode } from "../db/refusal.ts";

/** What a bundle is judged by, all of one moment. */
export interface BundleFacts {
  deviceUid: string;
  publishTemplates: string[];
  subscribeTemplates: string[];
  /** Live platform certificates of the device. */
  activeCount: number;
  clientIdTaken: boolean;
  /** Whether the device holds a live self-enrolled certificate. */
  selfEnrolled: boolean;
}

const LIVE = "c.device_uid = d.uid AND c.revoked_at IS NULL AND c.not_after > $3::timestamptz";

const FACTS = `
  SELECT d.uid AS "deviceUid", coalesce(y.publish_topics, '{}') AS "publishTemplates",
    coalesce(y.subscribe_topics, '{}') AS "subscribeTemplates",
    (SELECT count(*)::integer FROM certificates c WHERE ${LIVE} AND c.kind = 'platform') AS "activeCount",
    ${clientIdTaken("d.id", "d.tenant_id", "$3")} AS "clientIdTaken",
    EXISTS (SELECT 1 FROM certificates c WHERE ${LIVE} AND c.kind = 'self_enrolled') AS "selfEnrolled"
  FROM devices d LEFT JOIN device_types y ON y.id = d.device_type_id
  WHERE d.tenant_id = $1::uuid AND d.id = $2::text AND d.deleted_at IS NULL`;

/** `undefined` when the tenant has no such device. */
export async function bundleFacts(
  db: Db,
  tenantId: string,
  deviceId: string,
  now: Date,
): Promise<BundleFacts | undefined> {
  const [row] = await runRaw<BundleFacts>(db, FACTS, [tenantId, deviceId, now]);
  return row;
}

/**
 * Locks the device's row until the end of the transaction: whoever issues or revokes certificates of an existing device
 * does this first, so what the next statement counts stays so. `false` when there is no such device.
 */
export async function lockDevice(tx: Tx, tenantId: string, deviceId: string): Promise<boolean> {
  const rows = await runRaw(
    tx,
    `SELECT 1 FROM devices WHERE tenant_id = $1::uuid AND id = $2::text AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [tenantId, deviceId],
  );
  return rows.length === 1;
}

const RECORD = `WITH device AS (
    SELECT uid AS device_uid, tenant_id, id AS device_id FROM devices WHERE uid = $1::uuid
  ), ${holdClientId("device", "$13", "$18")},
  ${insertCertificate("device_cert_minted", 2, "device")}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM held) THEN true ELSE muster_refuse('client_id_in_use') END AS recorded`;

/**
 * Records a bundle's certificate, its audit entry and the device's hold on its client id. `false`, and the transaction is to
 * be rolled back, when somebody else took the id meanwhile.
 */
export async function recordBundle(
  tx: Tx,
  deviceUid: string,
  issued: IssuedCertificate,
  auditId: string,
  now: Date,
): Promise<boolean> {
  try {
    await runRaw(tx, RECORD, [deviceUid, ...certificateParameters(issued, auditId, now)]);
    return true;
  } catch (error) {
    if (refusalCode(error) === "client_id_in_use") return false;
    throw error;
  }
}
