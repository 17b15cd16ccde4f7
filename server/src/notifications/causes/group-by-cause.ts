import type { Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { CHECK_MS, type Hold } from "../holds/hold.ts";
import { type Candidate, countFleet, type GroupingRow, readCandidates, readGrouping } from "./cause-store.ts";
import { type Fleet, findCauses, LEAST_SILENT } from "./find-causes.ts";
import {
  addToOutage,
  explains,
  insertOutage,
  leaveOutages,
  type OutagePage,
  outagePages,
  recentOutages,
} from "./outage-store.ts";

/** The grouping of the pages of silent devices. */
export interface Grouped {
  /** The silences that wait for others, by the anomaly's id. */
  waiting: Map<string, Hold>;
  /** The outages of the others, by the anomaly's id. */
  outages: Map<string, string>;
  /** The one page of each outage, by outage and group. */
  pages: Map<string, OutagePage>;
  /** Until when the pages that it stands for are put off. */
  checkAt: Date;
}

/**
 * Groups silences by what their devices share. A silence waits for others first; then its outage is searched. Once most
 * devices of an outage have returned, the others are grouped anew.
 */
export async function groupByCause(
  tx: Tx,
  anomalyIds: readonly string[],
  { ids, now }: { ids: Ids; now: Date },
): Promise<Grouped> {
  const grouped: Grouped = { waiting: new Map(), outages: new Map(), pages: new Map(), checkAt: addMs(now, CHECK_MS) };
  let rows = await readGrouping(tx, anomalyIds);
  const over = rows.filter(({ outageId, active }) => outageId !== null && !active).map(({ anomalyId }) => anomalyId);
  if (over.length > 0) await leaveOutages(tx, over);
  const isDue = (row: GroupingRow) => row.waitUntil <= now && (row.outageId === null || !row.active);
  const tenants = new Set(rows.filter(isDue).map(({ tenantId }) => tenantId));
  for (const tenantId of tenants) await findOutages(tx, tenantId, { ids, now });
  if (tenants.size > 0) rows = await readGrouping(tx, anomalyIds);
  for (const { anomalyId, outageId, waitUntil } of rows) {
    if (outageId !== null) grouped.outages.set(anomalyId, outageId);
    else if (waitUntil > now) grouped.waiting.set(anomalyId, { by: "cause", until: waitUntil });
  }
  for (const page of await outagePages(tx, [...new Set(grouped.outages.values())]))
    grouped.pages.set(`${page.outageId} ${page.groupId}`, page);
  return grouped;
}

async function findOutages(tx: Tx, tenantId: string, { ids, now }: { ids: Ids; now: Date }): Promise<void> {
  const candidates = await joinOutages(tx, tenantId, await readCandidates(tx, tenantId, now), now);
  if (candidates.length < LEAST_SILENT) return;
  const openedAt = new Map(candidates.map((each) => [each.id, each.openedAt.getTime()]));
  for (const cause of findCauses(candidates, fleetOf(await countFleet(tx, tenantId, candidates)))) {
    const since = new Date(Math.min(...cause.silent.map((id) => openedAt.get(id)!)));
    await insertOutage(tx, tenantId, { id: ids.uuid(now), cause, silent: candidates.length, since });
  }
}

/** Adds silences to the recent outages that explain them. @returns the others */
async function joinOutages(tx: Tx, tenantId: string, candidates: Candidate[], now: Date): Promise<Candidate[]> {
  let rest = candidates;
  for (const outage of await recentOutages(tx, tenantId, now)) {
    const joining = rest.filter(({ shared }) => explains(outage, shared));
    if (joining.length === 0) continue;
    await addToOutage(
      tx,
      tenantId,
      outage.id,
      joining.map(({ id }) => id),
    );
    rest = rest.filter(({ shared }) => !explains(outage, shared));
  }
  return rest;
}

function fleetOf(counts: Awaited<ReturnType<typeof countFleet>>): Fleet {
  const devices = new Map(counts.map((each) => [`${each.kind} ${each.value}`, each.devices]));
  return { total: devices.get(" ") ?? 0, having: (kind, value) => devices.get(`${kind} ${value}`) ?? 0 };
}
