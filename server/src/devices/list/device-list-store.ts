import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { records } from "../../lib/limits/records.ts";
import type { PageRequest } from "../../lib/page.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { type Counted, contains, countedPage, filteredPage, type Shown } from "../../lists/counted-page.ts";
import { searchPage } from "../../lists/search-page.ts";
import { sortedPage } from "../../lists/sorted-page.ts";
import { oncePerWalk } from "../../lists/walk.ts";
import { type DeviceRow, deviceColumns } from "../device-view-store.ts";
import { type DeviceFilter, deviceConditions } from "./device-conditions-store.ts";

/** What a list of devices may be sorted by. The newest device comes first where there is no order, or the order is equal. */
const ORDERS = {
  name: { by: sql`lower(d.name) COLLATE "C"`, type: "text" },
  id: { by: sql`d.id COLLATE "C"`, type: "text" },
  createdAt: { by: sql`d.created_at`, type: "timestamptz" },
  lastSeenAt: { by: sql`d.last_seen_at`, type: "timestamptz" },
  certificateExpiresAt: { by: sql`d.certificate_until`, type: "timestamptz" },
} as const;

export type DeviceOrder = keyof typeof ORDERS;
export const DEVICE_ORDERS = Object.keys(ORDERS) as DeviceOrder[];

export interface DeviceListing {
  filter: DeviceFilter;
  /** A part of the id or the name, in any case. */
  q?: string | undefined;
  sort?: { by: DeviceOrder; descending: boolean } | undefined;
}

/** One page, newest first unless it is sorted, and how many there are in all. */
export async function listDeviceRows(
  db: Db,
  tenantId: string,
  { filter, q, sort }: DeviceListing,
  page: PageRequest,
  now: Date,
): Promise<Counted<DeviceRow>> {
  const shown = { list: "devices", as: "d", columns: deviceColumns(sql`${now}`) } as const;
  const conditions = deviceConditions(filter, now);
  const where = conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
  const order = sort && { ...ORDERS[sort.by], descending: sort.descending };
  if (q !== undefined) {
    const searched = { within: where, matches: sql`(${contains("d.name", q)} OR ${contains("d.id", q)})` };
    if (order === undefined) return await searchPage(db, tenantId, { ...shown, ...searched }, page);
    const found = await oncePerWalk(page.walk, () => findAll(db, tenantId, { ...shown, ...searched }));
    return await sortedPage(db, tenantId, { ...shown, where: sql`d.uid = ANY (${found}::uuid[])`, order }, page);
  }
  if (order !== undefined) return await sortedPage(db, tenantId, { ...shown, where, order }, page);
  if (where === undefined) return await countedPage(db, tenantId, shown, page);
  return await filteredPage(db, tenantId, { ...shown, where }, page);
}

/** The keys of all matches of a search. @throws MusterError invalid_request for more than can be sorted */
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
    { skip: 0, limit: most },
  );
  if (total > most)
    throw invalidRequest(`at most ${most.toLocaleString("en")} matches of a search can be sorted: narrow it`, "sort");
  return rows.map(({ uid }) => uid);
}
