import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

export interface NamedId {
  id: string;
  name: string;
}

export async function listGroupNames(db: Db, tenantId: string): Promise<NamedId[]> {
  const { rows } = await sql<NamedId>`SELECT id, name FROM shared_groups WHERE tenant_id = ${tenantId}`.execute(db);
  return rows;
}

export async function listTypeNames(db: Db, tenantId: string): Promise<NamedId[]> {
  const { rows } = await sql<NamedId>`
    SELECT id, name FROM shared_device_types WHERE tenant_id = ${tenantId}`.execute(db);
  return rows;
}

/** Returns the ids of devices by their fingerprints, trimmed and in lower case. */
export async function findIdsByFingerprint(
  db: Db,
  tenantId: string,
  fingerprints: readonly string[],
): Promise<Map<string, string>> {
  if (fingerprints.length === 0) return new Map();
  const keys = fingerprints.map((each) => each.trim().toLowerCase());
  const { rows } = await sql<{ id: string; fingerprint_key: string }>`
    SELECT id, fingerprint_key FROM shared_devices
     WHERE tenant_id = ${tenantId} AND fingerprint_key = ANY (${keys}::text[]) AND deleted_at IS NULL`.execute(db);
  return new Map(rows.map((row) => [row.fingerprint_key, row.id]));
}
