import { boundedToGroupsOf, groupsOfViewer, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import type { DevicesDeps } from "../deps.ts";
import { type DeviceRecord, toRecord } from "../view-devices.ts";
import type { DeviceFilter, DeviceProperties, OneOrMore } from "./device-conditions-store.ts";
import { type DeviceListing, listDeviceRows } from "./device-list-store.ts";

export interface DeviceQuery extends PageRequest, Omit<DeviceFilter, "viewer">, Omit<DeviceListing, "filter"> {}

/**
 * Lists devices, newest first unless sorted. A group or type that is not the tenant's matches nothing.
 *
 * @throws MusterError invalid_request, rate_limited for a search that is too long
 */
export const listDevices = useCase(
  { scope: "devices:read", role: "viewer" },
  async (deps: DevicesDeps, caller, query: DeviceQuery): Promise<Page<DeviceRecord>> => {
    const [page, { q, changedSince, sort, ...wanted }] = splitPage(query);
    const { skip, limit } = page;
    const known = withPossibleIds(wanted);
    if (known === undefined || isUnstorable(q, wanted)) return { items: [], total: 0, skip, limit };
    const { db } = deps.database;
    const viewer = await groupsOfViewer(db, boundedToGroupsOf(caller));
    // Every device that such a user sees is in a group.
    if (viewer !== undefined && known.groupId === null) return { items: [], total: 0, skip, limit };
    const listing = { filter: { ...known, not: excluded(wanted.not), viewer }, q, changedSince, sort };
    const { rows, ...total } = await listDeviceRows(db, caller.tenantId, listing, page, deps.clock.now());
    return { items: rows.map(toRecord), ...total, skip, limit };
  },
);

/** Text with NUL is in no record. */
function isUnstorable(q: string | undefined, { metadata = [] }: DeviceProperties): boolean {
  return [q ?? "", ...metadata.flatMap(({ field, values }) => [field, ...values])].some((text) => text.includes("\0"));
}

const IDS = ["groupId", "deviceTypeId", "thresholdId"] as const;

/** Returns the filter with ids that can exist; `undefined` if none of the wanted ids can. */
function withPossibleIds<Filter extends DeviceProperties>(filter: Filter): Filter | undefined {
  const possible = { ...filter };
  for (const name of IDS) {
    const ids = possibleIds(filter[name]);
    if (ids?.length === 0) return undefined;
    if (ids !== undefined) possible[name] = oneOrMore(ids) as never;
  }
  return possible;
}

/** Returns the excluded properties without ids that no device can have. */
function excluded(not: DeviceProperties = {}): DeviceProperties {
  const possible = IDS.map((name) => {
    const ids = possibleIds(not[name]);
    return [name, ids === undefined || ids.length === 0 ? undefined : oneOrMore(ids)];
  });
  return { ...not, ...Object.fromEntries(possible) };
}

function possibleIds(wanted: OneOrMore<string | null> | undefined): (string | null)[] | undefined {
  if (wanted === undefined) return undefined;
  return [wanted].flat().filter((id) => id === null || isUuid(id));
}

function oneOrMore(ids: (string | null)[]): OneOrMore<string | null> {
  return ids.length === 1 ? ids[0]! : ids;
}
