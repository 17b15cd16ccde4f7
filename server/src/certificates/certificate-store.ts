import { type RawBuilder, sql } from "kysely";
import { type ViewedGroups, type Viewer, visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import type { CertificatesTable } from "../db/schema.generated.ts";
import { addMs } from "../lib/clock.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";
import { countList } from "../lists/list-total.ts";
import { negated } from "../lists/negated.ts";
import { totalOf } from "../lists/shown.ts";
import { isPart, nextPart, type Walked } from "../lists/walk.ts";
import { EXPIRY_WARNING_MS } from "./limits.ts";

/** A recorded certificate without its DER; `connected` says whether a session opened with it is open. */
export interface CertificateRow
  extends Omit<
    CertificatesTable,
    "tenant_id" | "device_uid" | "spki_sha256" | "der" | "subscribe_topics" | "claim_id"
  > {
  connected: boolean;
}

export interface CertificateFilter {
  deviceId?: string | undefined;
  /** `active` means "not revoked" and includes expired certificates (spec 4.5). */
  status?: "active" | "revoked" | undefined;
  kind?: CertificateRow["kind"] | undefined;
  /** `live`: neither revoked nor expired. `expiring`: a live platform certificate that expires within 30 days. */
  state?: "live" | "expiring" | "expired" | "revoked" | undefined;
  notKind?: CertificateFilter["kind"];
  notState?: CertificateFilter["state"];
  /** Unrevoked certificates whose expiry is at this time or later. */
  expiresFrom?: Date | undefined;
  /** Unrevoked certificates whose expiry is before this time. */
  expiresBefore?: Date | undefined;
}

export type CertificateSort = "newest" | "expiry";

/**
 * SQL: session `s` was opened with certificate `c`. Sessions are looked up by client id, which equals the device id
 * (spec 4.10).
 */
const isOpenedBy = sql`s.client_id = c.device_id AND s.certificate_id = c.id`;

/** Returns the certificate, if `viewer` sees its device. */
export async function findCertificate(
  db: Db,
  tenantId: string,
  id: string,
  viewer: Viewer,
): Promise<CertificateRow | undefined> {
  const { rows } = await sql<CertificateRow>`
    SELECT ${COLUMNS} FROM certificates c
     WHERE c.tenant_id = ${tenantId} AND c.id = ${id} AND ${visibleDevice(viewer, "c.device_uid")}`.execute(db);
  return rows[0];
}

/** The facts that a person considers before revoking a certificate. */
export interface CertificateContext {
  der: Buffer;
  /** The session that was opened with it. */
  session: { connectedAt: Date; remoteAddress: string } | null;
  /** The number of other live certificates of its device. */
  otherLive: number;
}

/** Returns the certificate's DER and context, if `viewer` sees its device. */
export async function findCertificateContext(
  db: Db,
  tenantId: string,
  id: string,
  viewer: Viewer,
  now: Date,
): Promise<CertificateContext | undefined> {
  const { rows } = await sql<
    Omit<CertificateContext, "session"> & { connected_at: Date | null; remote_address: string | null }
  >`
    SELECT c.der, s.connected_at, s.remote_address,
      (SELECT count(*)::int FROM certificates o WHERE o.device_uid = c.device_uid AND o.id <> c.id
          AND o.revoked_at IS NULL AND o.not_after > ${now}) AS "otherLive"
      FROM certificates c LEFT JOIN shared_mqtt_sessions s ON ${isOpenedBy}
     WHERE c.tenant_id = ${tenantId} AND c.id = ${id} AND ${visibleDevice(viewer, "c.device_uid")} LIMIT 1`.execute(db);
  if (rows[0] === undefined) return undefined;
  const { connected_at: connectedAt, remote_address: remoteAddress, ...rest } = rows[0];
  return { ...rest, session: connectedAt && remoteAddress !== null ? { connectedAt, remoteAddress } : null };
}

/** Returns the slug of the tenant that has the certificate. */
export async function findTenantOfCertificate(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    SELECT t.slug FROM certificates c JOIN shared_tenants t ON t.id = c.tenant_id WHERE c.id = ${id}`.execute(db);
  return rows[0]?.slug;
}

interface Wanted extends CertificateFilter {
  viewer: ViewedGroups | undefined;
  now: Date;
}

/** Returns one page of the certificates of devices that `viewer` sees, newest first, and the total. */
export async function listCertificateRows(
  db: Db,
  tenantId: string,
  wanted: Wanted,
  page: PageRequest,
): Promise<Counted<CertificateRow>> {
  const shown = { list: "certificates", as: "c", columns: COLUMNS } as const;
  if (isPlain(wanted)) return await countedPage(db, tenantId, { ...shown, variant: wanted.status }, page);
  return await filteredPage(db, tenantId, { ...shown, where: conditionOf(wanted) }, page);
}

/** Returns whether the list is filtered by status at most; the totals of such lists are maintained. */
function isPlain({ status: _, now: __, ...others }: Wanted): boolean {
  return Object.values(others).every((each) => each === undefined);
}

/** Returns one page of unrevoked certificates, earliest expiry first, and the total. An index has this order. */
export async function listCertificateRowsByExpiry(
  db: Db,
  tenantId: string,
  wanted: Wanted,
  page: PageRequest,
): Promise<Counted<CertificateRow>> {
  const listed = sql`c.revoked_at IS NULL AND ${conditionOf(wanted)}`;
  if (isPart(page)) return await nextPart(db, byExpiry(tenantId, listed), page);
  const { skip, limit, countAhead } = page;
  const matching = sql`FROM certificates c WHERE c.tenant_id = ANY (ARRAY[${tenantId}]::uuid[]) AND ${listed}`;
  const { rows } = await sql<CertificateRow>`
    WITH page AS MATERIALIZED (
      SELECT c.id ${matching} ORDER BY c.tenant_id, c.not_after, c.id LIMIT ${limit}::bigint OFFSET ${skip}::bigint
    )
    SELECT ${COLUMNS} FROM page JOIN certificates c ON c.id = page.id ORDER BY c.not_after, c.id`.execute(db);
  if (isPlain(wanted)) return { rows, total: await countList(db, tenantId, "certificates", "active") };
  const most = countAhead === undefined ? null : skip + limit + countAhead;
  const counted = await sql<{ n: string }>`
    SELECT count(*) AS n FROM (SELECT ${matching} LIMIT ${most}::bigint) t`.execute(db);
  return { rows, ...totalOf(Number(counted.rows[0]!.n), page) };
}

function byExpiry(tenantId: string, listed: RawBuilder<unknown>): Walked {
  return {
    columns: COLUMNS,
    from: sql`FROM certificates c WHERE c.tenant_id = ANY (ARRAY[${tenantId}]::uuid[]) AND ${listed}`,
    keys: [
      { by: sql`c.not_after`, type: "timestamptz", descending: false },
      { by: sql`c.id`, type: "uuid", descending: false },
    ],
    common: sql`c.tenant_id`,
  };
}

/** Returns the filter's condition. The kind is a literal in the statement, for the partial indexes of one kind. */
function conditionOf({ deviceId, status, kind, state, notKind, notState, viewer, now, ...wanted }: Wanted) {
  const conditions: RawBuilder<unknown>[] = [visibleDevice(viewer, "c.device_uid")];
  if (deviceId !== undefined) conditions.push(sql`c.device_id = ${deviceId}`);
  if (status !== undefined) conditions.push(sql`(c.revoked_at IS NULL) = ${status === "active"}`);
  if (kind !== undefined) conditions.push(sql`c.kind = ${sql.lit(kind)}`);
  if (state !== undefined) conditions.push(inState(state, now));
  if (notKind !== undefined) conditions.push(sql`c.kind <> ${sql.lit(notKind)}`);
  if (notState !== undefined) conditions.push(...negated([inState(notState, now)]));
  const { expiresFrom, expiresBefore } = wanted;
  if (expiresFrom !== undefined) conditions.push(sql`c.revoked_at IS NULL AND c.not_after >= ${expiresFrom}`);
  if (expiresBefore !== undefined) conditions.push(sql`c.revoked_at IS NULL AND c.not_after < ${expiresBefore}`);
  return sql.join(conditions, sql` AND `);
}

function inState(state: NonNullable<CertificateFilter["state"]>, now: Date): RawBuilder<unknown> {
  const live = sql`c.revoked_at IS NULL AND c.not_after > ${now}`;
  switch (state) {
    case "live":
      return live;
    case "expiring":
      return sql`${live} AND c.kind = 'platform' AND c.not_after <= ${addMs(now, EXPIRY_WARNING_MS)}`;
    case "expired":
      return sql`c.revoked_at IS NULL AND c.not_after <= ${now}`;
    case "revoked":
      return sql`c.revoked_at IS NOT NULL`;
  }
}

const COLUMNS = sql`c.id, c.device_id, c.kind, c.serial_number, c.fingerprint_sha256, c.subject, c.publish_topics,
  c.issued_at, c.not_before, c.not_after, c.renew_after, c.issued_by, c.revoked_at, c.revoked_by, c.revocation_reason,
  c.superseded_by_id, c.last_connected_at,
  EXISTS (SELECT 1 FROM shared_mqtt_sessions s WHERE ${isOpenedBy}) AS connected`;
