import { sql } from "kysely";
import { boundedToGroupsOf, type Caller, visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";

/**
 * Finds the certificate with this serial number or fingerprint, both lower-case hex, on a device that the caller may
 * see.
 */
export async function findCertificates(db: Db, caller: Caller, q: string): Promise<{ id: string; title: string }[]> {
  const { rows } = await sql<{ id: string; title: string }>`
    SELECT c.id, c.device_id || ' ' || c.serial_number AS title FROM shared_certificates c
     WHERE c.tenant_id = ${caller.tenantId} AND (c.serial_number = ${q} OR c.fingerprint_sha256 = ${q})
       AND ${visibleDevice(boundedToGroupsOf(caller), "c.device_uid")}`.execute(db);
  return rows;
}
