import { type RawBuilder, sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { PageRequest } from "../../lib/page.ts";
import { isPart, nextPart, type Walked } from "../../lists/walk.ts";

export interface RefusalRow {
  id: string;
  tenant_id: string | null;
  at: Date;
  reason: string;
  client_id: string | null;
  device_id: string | null;
  serial_number: string | null;
  fingerprint_sha256: string | null;
  remote_address: string | null;
  tls_version: string | null;
  topic: string | null;
}

/** An entry with the number of refusals that it stands for, and the time of the last one. */
export interface CountedRefusalRow extends RefusalRow {
  /** bigint */
  occurrences: string;
  last_at: Date | null;
  /** The revocation reason of the presented certificate, if it was revoked. */
  revocation_reason: RevocationReason | null;
}

export type RevocationReason = "superseded" | "requested" | "device_deleted";

/** Further refusals of an entry. */
export interface Repetition {
  id: string;
  count: number;
  lastAt: Date;
}

/** Fires `connection_refusals_event`. */
export async function insertRefusals(db: Db, rows: readonly RefusalRow[]): Promise<void> {
  await db.insertInto("connection_refusals").values(rows).execute();
}

const addRepetitions = statement<{ ids: string[]; counts: number[]; times: Date[] }, object>(
  "add-refusal-repetitions",
  (p) => sql`
  UPDATE connection_refusals r SET occurrences = r.occurrences + n.count, last_at = n.last_at
    FROM unnest(${p.ids}::uuid[], ${p.counts}::bigint[], ${p.times}::timestamptz[]) AS n(id, count, last_at)
   WHERE r.id = n.id`,
);

/** Adds to the counts of entries; an entry deleted since is skipped. */
export async function countRepetitions(db: Db, repetitions: readonly Repetition[]): Promise<void> {
  await runStatement(db, addRepetitions, {
    ids: repetitions.map(({ id }) => id),
    counts: repetitions.map(({ count }) => count),
    times: repetitions.map(({ lastAt }) => lastAt),
  });
}

/** The refusals to list. */
export interface RefusalFilter {
  deviceId?: string | undefined;
  /** The SHA-256 of the presented certificate, lower-case hex. */
  fingerprintSha256?: string | undefined;
  reason?: string | undefined;
  /** A reason to exclude. */
  notReason?: string | undefined;
  /** The range of the first refusal's time: from this time, before that time. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** Only refusals of devices visible to this user. */
  viewer?: string | undefined;
}

const COLUMNS = sql`r.*, CASE WHEN r.reason = 'revoked' THEN (SELECT c.revocation_reason FROM shared_certificates c
    WHERE c.fingerprint_sha256 = r.fingerprint_sha256 AND c.tenant_id = r.tenant_id) END AS revocation_reason`;

/**
 * Returns one page, newest first, and the total; `null` for clients of no known tenant. A journal is short enough to be
 * read whole (`refusalEntries`).
 */
export async function listRefusalRows(
  db: Db,
  tenantId: string | null,
  filter: RefusalFilter,
  page: PageRequest,
): Promise<{ rows: CountedRefusalRow[]; total: number }> {
  const listed = sql`FROM connection_refusals r WHERE ${sql.join(conditionsOf(tenantId, filter), sql` AND `)}`;
  if (isPart(page)) return await nextPart(db, { columns: COLUMNS, from: listed, keys: NEWEST_FIRST }, page);
  const { skip, limit } = page;
  const { rows } = await sql<CountedRefusalRow>`
    SELECT ${COLUMNS} ${listed} ORDER BY r.at DESC, r.id DESC OFFSET ${skip} LIMIT ${limit}`.execute(db);
  const counted = await sql<{ total: string }>`SELECT count(*) AS total ${listed}`.execute(db);
  return { rows, total: Number(counted.rows[0]!.total) };
}

const NEWEST_FIRST: Walked["keys"] = [
  { by: sql`r.at`, type: "timestamptz", descending: true },
  { by: sql`r.id`, type: "uuid", descending: true },
];

function conditionsOf(tenantId: string | null, filter: RefusalFilter) {
  const { deviceId, fingerprintSha256, reason, notReason, from, to, viewer } = filter;
  const conditions: RawBuilder<unknown>[] = [
    tenantId === null ? sql`r.tenant_id IS NULL` : sql`r.tenant_id = ${tenantId}::uuid`,
  ];
  if (deviceId !== undefined) conditions.push(sql`r.device_id = ${deviceId}`);
  if (fingerprintSha256 !== undefined) conditions.push(sql`r.fingerprint_sha256 = ${fingerprintSha256}`);
  if (reason !== undefined) conditions.push(sql`r.reason = ${reason}`);
  if (notReason !== undefined) conditions.push(sql`r.reason <> ${notReason}`);
  if (from !== undefined) conditions.push(sql`r.at >= ${from}`);
  if (to !== undefined) conditions.push(sql`r.at < ${to}`);
  if (viewer !== undefined) conditions.push(ofVisibleDevice(viewer));
  return conditions;
}

/** SQL: the refusal concerns a device that the viewer sees. Refusals of unknown devices are for admins. */
function ofVisibleDevice(viewer: string): RawBuilder<unknown> {
  return sql`EXISTS (SELECT FROM shared_devices d WHERE d.tenant_id = r.tenant_id AND d.id = r.device_id AND d.deleted_at IS NULL
    AND ${visibleDevice(viewer, "d.uid")})`;
}
