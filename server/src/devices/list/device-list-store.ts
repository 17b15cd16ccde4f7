import { type RawBuilder, sql } from "kysely";
import { seesMoreThan, visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { records } from "../../lib/limits/records.ts";
import type { PageRequest } from "../../lib/page.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { type Counted, contains, countedPage, filteredPage, type Shown } from "../../lists/counted-page.ts";
import { searchPage } from "../../lists/search-page.ts";
import { sortedPage } from "../../lists/sorted-page.ts";
import { oncePerWalk } from "../../lists/walk.ts";
import { type DeviceRow, deviceColumns } from "../device-view-store.ts";
import { lastSeenAt, withLastSeen } from "../last-seen-store.ts";
import { type DeviceFilter, deviceConditions, metadataConditions } from "./device-conditions-store.ts";

/**
 * The orders of a list of devices. Without an order, and among equal values, the newest device comes first. There are
 * indexes in the order of the ids (in the collation of the database) and of the uids, which sort by creation.
 */
const ORDERS = {
  name: { by: sql`lower(d.name) COLLATE "C"`, type: "text" },
  id: { by: sql`d.id`, type: "text" },
  createdAt: { by: sql`d.uid`, type: "uuid" },
  lastSeenAt: { by: lastSeenAt, type: "timestamptz", nullable: true },
  certificateExpiresAt: { by: sql`d.certificate_until`, type: "timestamptz", nullable: true },
} as const;

const INDEXED: readonly DeviceOrder[] = ["id", "createdAt"];

export type DeviceOrder = keyof typeof ORDERS;
export const DEVICE_ORDERS = Object.keys(ORDERS) as DeviceOrder[];

export interface DeviceListing {
  filter: DeviceFilter;
  /** A part of the id or the name, in any case. */
  q?: string | undefined;
  /** Selects devices whose editable fields changed at or after this time. */
  changedSince?: Date | undefined;
  sort?: { by: DeviceOrder; descending: boolean } | undefined;
}

/** Returns one page, newest first unless it is sorted, and the total. */
export async function listDeviceRows(
  db: Db,
  tenantId: string,
  { filter, sort, ...text }: DeviceListing,
  page: PageRequest,
  now: Date,
  manySeen = MANY_SEEN,
): Promise<Counted<DeviceRow>> {
  const shown = { list: "devices", as: "d", join: withLastSeen, columns: deviceColumns(sql`${now}`) } as const;
  const where = allOf(deviceConditions(filter, now));
  const order = sort && {
    order: { ...ORDERS[sort.by], descending: sort.descending },
    indexed: INDEXED.includes(sort.by),
  };
  const matches = allOf([...textConditions(text), ...metadataConditions(filter)]);
  if (matches !== undefined) {
    const searched = await searchFor(db, matches, { filter, now, manySeen });
    if (order === undefined) return await searchPage(db, tenantId, { ...shown, ...searched }, page);
    const found = await oncePerWalk(page.walk, () => findAll(db, tenantId, { ...shown, ...searched }));
    return await sortedPage(db, tenantId, { ...shown, where: sql`d.uid = ANY (${found}::uuid[])`, ...order }, page);
  }
  if (order !== undefined) return await sortedPage(db, tenantId, { ...shown, where, ...order }, page);
  if (where === undefined) return await countedPage(db, tenantId, shown, page);
  return await filteredPage(db, tenantId, { ...shown, where }, page);
}

/** Returns conditions that no index finds: devices are read in steps for them, and for those on metadata. */
function textConditions({ q, changedSince }: Omit<DeviceListing, "filter" | "sort">) {
  const conditions: RawBuilder<unknown>[] = [];
  if (q !== undefined) conditions.push(sql`(${contains("d.name", q)} OR ${contains("d.id", q)})`);
  if (changedSince !== undefined) conditions.push(sql`d.updated_at >= ${changedSince}::timestamptz`);
  return conditions;
}

function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> | undefined {
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
}

/**
 * The number of visible devices above which the text is compared first and groups are looked up for the matches only.
 */
const MANY_SEEN = 100_000;

/** Returns which devices a search reads, and which of these match. */
async function searchFor(
  db: Db,
  text: RawBuilder<unknown>,
  { filter, now, manySeen }: { filter: DeviceFilter; now: Date; manySeen: number },
) {
  const { viewer, ...others } = filter;
  if (viewer === undefined || !(await seesMoreThan(db, viewer, manySeen)))
    return { within: allOf(deviceConditions(filter, now)), matches: text };
  const isVisible = visibleDevice(viewer, "d.uid", { perRow: true });
  const matches = sql`CASE WHEN ${text} THEN ${isVisible} ELSE false END`;
  return { within: allOf(deviceConditions(others, now)), matches };
}

/** Returns the keys of all matches of a search. @throws MusterError invalid_request for more than can be sorted */
async function findAll(
  db: Db,
  tenantId: string,
  searched: Shown & { within: RawBuilder<unknown> | undefined; matches: RawBuilder<unknown> },
): Promise<string[]> {
  const most = records.sortedMatches.value;
  const { rows, total } = await searchPage<{ uid: string }>(
    db,
    tenantId,
    { ...searched, columns: sql`d.uid` },
    { skip: 0, limit: most, countAhead: 1 },
  );
  if (total > most)
    throw invalidRequest(`at most ${most.toLocaleString("en")} matches of a search can be sorted: narrow it`, "sort");
  return rows.map(({ uid }) => uid);
}
