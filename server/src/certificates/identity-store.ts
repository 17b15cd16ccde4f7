import { type Db, runPrepared } from "../db/database.ts";
import type { Standing } from "./identity.ts";

/** A recorded certificate with whom it stands for. */
export interface RecordedIdentity extends Standing {
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantId: string;
  tenantSlug: string;
  serialNumber: string;
  publishTopics: string[];
  subscribeTopics: string[];
}

/** One look-up by a unique index: this runs at every MQTT connect. */
const IDENTITY = `
  SELECT c.id AS "certificateId", c.device_uid AS "deviceUid", c.device_id AS "deviceId", c.tenant_id AS "tenantId",
    t.slug AS "tenantSlug", c.serial_number AS "serialNumber", c.publish_topics AS "publishTopics",
    c.subscribe_topics AS "subscribeTopics", c.not_after AS "notAfter", c.revoked_at AS "revokedAt",
    d.deleted_at AS "deviceDeletedAt"
  FROM certificates c JOIN devices d ON d.uid = c.device_uid JOIN tenants t ON t.id = c.tenant_id
  WHERE c.fingerprint_sha256 = $1::text`;

/** What is recorded under the SHA-256 of a certificate's DER (lower-case hex). */
export async function findIdentity(db: Db, fingerprintSha256: string): Promise<RecordedIdentity | undefined> {
  const [row] = await runPrepared<RecordedIdentity>(db, "identity", IDENTITY, [fingerprintSha256]);
  return row;
}
