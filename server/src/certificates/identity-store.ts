import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { readStatement, statement } from "../db/statement.ts";
import type { CertificateValidity } from "./identity.ts";

/** A recorded certificate with the device that it identifies. */
export interface RecordedIdentity extends CertificateValidity {
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantId: string;
  tenantSlug: string;
  serialNumber: string;
  publishTopics: string[];
  subscribeTopics: string[];
}

/** One read by a unique index, at every MQTT connect. */
const findByFingerprint = statement<{ fingerprint: string }, RecordedIdentity>(
  "identity",
  (p) => sql`
  SELECT c.id AS "certificateId", c.device_uid AS "deviceUid", c.device_id AS "deviceId", c.tenant_id AS "tenantId",
    t.slug AS "tenantSlug", c.serial_number AS "serialNumber", c.publish_topics AS "publishTopics",
    c.subscribe_topics AS "subscribeTopics", c.not_after AS "notAfter", c.revoked_at AS "revokedAt",
    d.deleted_at AS "deviceDeletedAt"
  FROM certificates c JOIN shared_devices d ON d.uid = c.device_uid JOIN shared_tenants t ON t.id = c.tenant_id
  WHERE c.fingerprint_sha256 = ${p.fingerprint}::text`,
);

/** The identity recorded under the SHA-256 of a certificate's DER (lower-case hex). */
export async function findIdentity(db: Db, fingerprint: string): Promise<RecordedIdentity | undefined> {
  const [row] = await readStatement(db, findByFingerprint, { fingerprint });
  return row;
}
