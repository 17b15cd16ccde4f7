import { boundedToGroupsOf, type Caller } from "../access/access.ts";
import { noteWrite } from "../audit/audit.ts";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import { type Ids, isDeviceId, isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import { plainText } from "../lib/text.ts";
import { type Anomaly, toAnomaly } from "./anomaly-record.ts";
import { type AnomalyFilter, acknowledgeRow, findAnomaly, listAnomalyRows } from "./anomaly-store.ts";

export interface AnomaliesDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
}

export type AnomalyQuery = Omit<AnomalyFilter, "memberUserId"> & PageRequest;

/** Newest first. A device that is not the tenant's has none. */
export async function listAnomalies(deps: AnomaliesDeps, caller: Caller, query: AnomalyQuery): Promise<Page<Anomaly>> {
  const { skip, limit, ...filter } = query;
  if (query.deviceId !== undefined && !isDeviceId(query.deviceId)) return { items: [], total: 0, skip, limit };
  const bounded = { ...filter, memberUserId: boundedToGroupsOf(caller) };
  const { rows, total } = await listAnomalyRows(deps.database.db, caller.tenantId, bounded, { skip, limit });
  return { items: rows.map(toAnomaly), total, skip, limit };
}

/** @throws MusterError not_found, also for a caller who does not see the device */
export async function getAnomaly(deps: AnomaliesDeps, caller: Caller, id: string): Promise<Anomaly> {
  const row = isUuid(id)
    ? await findAnomaly(deps.database.db, caller.tenantId, id, boundedToGroupsOf(caller))
    : undefined;
  if (!row) throw notFound("anomaly");
  return toAnomaly(row);
}

/**
 * Notes who looked and what they said. An open anomaly is `acknowledged` from then on, a resolved one stays `resolved`.
 * The first to look stays: a repetition changes nothing.
 *
 * @throws MusterError not_found, invalid_request
 */
export async function acknowledgeAnomaly(
  deps: AnomaliesDeps,
  caller: Caller,
  id: string,
  comment?: string,
): Promise<Anomaly> {
  const said = plainText("comment", comment ?? "").trim();
  const now = deps.clock.now();
  const note = { by: caller.actor, comment: said === "" ? null : said, now };
  const boundedTo = boundedToGroupsOf(caller);
  if (!isUuid(id)) throw notFound("anomaly");
  return await inTransaction(deps.database.db, async (tx) => {
    const noted = await acknowledgeRow(tx, caller.tenantId, id, boundedTo, note);
    const row = noted ?? (await findAnomaly(tx, caller.tenantId, id, boundedTo));
    if (!row) throw notFound("anomaly");
    const result = noted ? "updated" : "unchanged";
    await noteWrite(tx, caller, { resource: "anomaly", id, result, at: now }, deps.ids);
    return toAnomaly(row);
  });
}
