import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { CertificateAuditTable } from "../db/schema.generated.ts";
import type { Parameters } from "../db/statement.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";
import { createdBetween, type Period } from "../lists/created-between.ts";
import { negated } from "../lists/negated.ts";

export type CertificateAuditRow = Omit<CertificateAuditTable, "seq" | "tenant_id">;

/** Fires `certificate_audit_added`, `certificate_audit_streamed`. */
export async function insertEntries(db: Db, tenantId: string, rows: readonly CertificateAuditRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("certificate_audit")
    .values(rows.map((row) => ({ tenant_id: tenantId, ...row })))
    .execute();
}

/** The kinds of issuance in the audit. */
export type IssuanceKind = "device_cert_enrolled" | "device_cert_minted" | "device_cert_renewed";

/**
 * Returns SQL that writes the entry of an issuance, as part of the statement that records the certificate, so that
 * neither exists without the other. Fires `certificate_audit_added`, `certificate_audit_streamed`.
 *
 * @param certificate FROM clause whose row `c` has the certificate's `id`, `tenant_id`, `device_id`, `serial_number`,
 * `fingerprint_sha256`, `issued_by`, `claim_id`
 * @param previousSerial the serial that a renewal replaces, as an expression over that clause
 */
export function insertIssuanceEntry(
  kind: IssuanceKind,
  p: Parameters<{ auditId: string; now: Date }>,
  certificate: RawBuilder<unknown>,
  previousSerial: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    INSERT INTO certificate_audit
      (id, tenant_id, kind, at, actor, device_id, certificate_id, serial_number, previous_serial_number,
       fingerprint_sha256, claim_id)
    SELECT ${p.auditId}::uuid, c.tenant_id, ${sql.lit(kind)}, ${p.now}::timestamptz, c.issued_by, c.device_id, c.id,
      c.serial_number, ${previousSerial}, c.fingerprint_sha256, c.claim_id
    FROM ${certificate}`;
}

export interface EntryFilter extends Period {
  kind?: CertificateAuditRow["kind"] | undefined;
  actor?: string | undefined;
  /** The device id; entries of earlier devices with this id match too. */
  deviceId?: string | undefined;
  /** A UUID. */
  certificateId?: string | undefined;
  /** Properties that an entry must not have. */
  not?: Pick<EntryFilter, "kind" | "actor"> | undefined;
}

/** Returns one page, newest first by the entries' ids, with the number of matches. */
export async function listEntryRows(
  db: Db,
  tenantId: string,
  filter: EntryFilter,
  page: PageRequest,
): Promise<Counted<CertificateAuditRow>> {
  const shown = { list: "certificate_audit", as: "a", columns: COLUMNS } as const;
  const conditions = conditionsOf(tenantId, filter);
  if (conditions.length === 0) return await countedPage(db, tenantId, shown, page);
  return await filteredPage(db, tenantId, { ...shown, where: sql.join(conditions, sql` AND `) }, page);
}

/**
 * Returns the filter's conditions. A device's entries are found by its certificates' ids, which the audit has indexes
 * on.
 */
function conditionsOf(tenantId: string, { deviceId, certificateId, not, ...filter }: EntryFilter) {
  const conditions = [
    ...createdBetween("a.id", filter),
    ...propertyConditions(filter),
    ...negated(propertyConditions(not)),
  ];
  if (certificateId !== undefined) conditions.push(ofCertificates(sql`ARRAY[${certificateId}::uuid]`));
  if (deviceId !== undefined)
    conditions.push(
      ofCertificates(sql`ARRAY(SELECT c.id FROM shared_certificates c
        WHERE c.tenant_id = ${tenantId} AND c.device_id = ${deviceId})`),
    );
  return conditions;
}

function propertyConditions({ kind, actor }: Pick<EntryFilter, "kind" | "actor"> = {}): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (kind !== undefined) conditions.push(sql`a.kind = ${kind}`);
  if (actor !== undefined) conditions.push(sql`a.actor = ${actor}`);
  return conditions;
}

/**
 * Returns the condition in the form of the two indexes: on the only entry of an issuance, and on the only entry of a
 * revocation.
 */
function ofCertificates(ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`((a.certificate_id = ANY (${ids})
      AND a.kind IN ('device_cert_minted', 'device_cert_enrolled', 'device_cert_renewed'))
    OR (a.certificate_id = ANY (${ids}) AND a.kind = 'device_cert_revoked'))`;
}

const COLUMNS = sql`a.id, a.kind, a.at, a.actor, a.device_id, a.certificate_id, a.serial_number, a.previous_serial_number,
  a.fingerprint_sha256, a.claim_id`;
