import { sql } from "kysely";
import {
  type CertificateValues,
  certificateValues,
  givenOrigin,
  type IssuedCertificate,
  insertCertificate,
} from "../certificates/certificates.ts";
import { isClientIdInUse, leaseToDevice } from "../connections/connections.ts";
import type { Db, Tx } from "../db/database.ts";
import { refusalCode, refuse } from "../db/refusal.ts";
import { type Parameters, runStatement, statement } from "../db/statement.ts";

/** The facts that decide whether a bundle is issued, read in one snapshot. */
export interface BundleFacts {
  deviceUid: string;
  publishTemplates: string[];
  subscribeTemplates: string[];
  /** The number of live platform certificates of the device. */
  activeCount: number;
  clientIdInUse: boolean;
  /** Whether the device has a live self-enrolled certificate. */
  selfEnrolled: boolean;
}

interface DeviceAt {
  tenantId: string;
  deviceId: string;
  now: Date;
}

const isLive = (p: Parameters<DeviceAt>) =>
  sql`c.device_uid = d.uid AND c.revoked_at IS NULL AND c.not_after > ${p.now}::timestamptz`;

const factsOfDevice = statement<DeviceAt, BundleFacts>(
  "bundle-facts",
  (p) => sql`
  SELECT d.uid AS "deviceUid", coalesce(y.publish_topics, '{}') AS "publishTemplates",
    coalesce(y.subscribe_topics, '{}') AS "subscribeTemplates",
    (SELECT count(*) FILTER (WHERE c.kind = 'platform')::integer FROM shared_certificates c
      WHERE ${isLive(p)}) AS "activeCount",
    ${isClientIdInUse(sql.ref("d.id"), sql.ref("d.tenant_id"), p.now)} AS "clientIdInUse",
    EXISTS (SELECT 1 FROM shared_certificates c WHERE ${isLive(p)} AND c.kind = 'self_enrolled') AS "selfEnrolled"
  FROM shared_devices d LEFT JOIN shared_device_types y ON y.id = d.device_type_id
  WHERE d.tenant_id = ${p.tenantId}::uuid AND d.id = ${p.deviceId}::text AND d.deleted_at IS NULL`,
);

/** Returns the facts, or `undefined` when the tenant has no such device. */
export async function readBundleFacts(
  db: Db,
  tenantId: string,
  deviceId: string,
  now: Date,
): Promise<BundleFacts | undefined> {
  const [row] = await runStatement(db, factsOfDevice, { tenantId, deviceId, now });
  return row;
}

const record = statement<CertificateValues & { deviceUid: string }, { recorded: boolean }>(
  "record-bundle",
  (p) => sql`WITH device AS (
    SELECT uid AS device_uid, tenant_id, id AS device_id FROM shared_devices WHERE uid = ${p.deviceUid}::uuid
  ), ${leaseToDevice(p, sql.ref("device"))},
  ${insertCertificate("device_cert_minted", p, sql.ref("device"), givenOrigin(p))}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM leased) THEN true ELSE ${refuse("client_id_in_use")} END AS recorded`,
);

/**
 * Records a bundle's certificate, its audit entry and the lease of the device's client id. Returns `false` if the id
 * has been leased elsewhere in between; the caller then rolls the transaction back.
 */
export async function recordBundle(
  tx: Tx,
  deviceUid: string,
  issued: IssuedCertificate,
  auditId: string,
  now: Date,
): Promise<boolean> {
  try {
    await runStatement(tx, record, { deviceUid, ...certificateValues(issued, auditId, now) });
    return true;
  } catch (error) {
    if (refusalCode(error) === "client_id_in_use") return false;
    throw error;
  }
}
