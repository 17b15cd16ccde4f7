import type { Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import { type AsideRow, readAside } from "../aside/aside-store.ts";
import { type Flapping, flappingOf } from "../aside/flapping.ts";
import { groupByCause } from "../causes/group-by-cause.ts";
import { outageText } from "../causes/outage-text.ts";
import { readDependent, readDependents } from "../dependencies/dependency-store.ts";
import { dependentsText } from "../dependencies/dependents-text.ts";
import type { NotificationsDeps } from "../deps.ts";
import { CHECK_MS, firstSteps, type HeldStep, type Hold } from "../holds/hold.ts";
import { putOff } from "../holds/hold-store.ts";
import { readCoveringWindows } from "../windows/covering-window-store.ts";
import { windowHold } from "../windows/window-hold.ts";
import type { PagedAnomaly } from "./paged-anomaly-store.ts";

/** The holds on the pages of each anomaly, by its id, and the anomalies that have begun to flap. */
export interface Holds {
  held: ReadonlyMap<string, Hold>;
  /** The number of openings of each anomaly that has just begun to flap. */
  flapping: ReadonlyMap<string, number>;
}

/** Returns what holds back the pages of each open anomaly at `now`: if there are several reasons, the last to end. */
export async function readHolds(tx: Tx, anomalies: ReadonlyMap<string, PagedAnomaly>, now: Date): Promise<Holds> {
  const open = [...anomalies.values()].filter(({ status }) => status === "open");
  const ids = open.map(({ id }) => id);
  const windows = await readCoveringWindows(tx, ids, now, now);
  const aside = new Map((await readAside(tx, ids, now)).map((row) => [row.anomalyId, row]));
  const dependent = await readDependent(tx, ids);
  const [held, flapping] = [new Map<string, Hold>(), new Map<string, number>()];
  for (const anomaly of open) {
    const row = aside.get(anomaly.id)!;
    // A critical anomaly pages each time: its device may have failed for good.
    const flaps = anomaly.severity === "critical" ? undefined : flappingOf(row.openings, row.flapsAbove);
    if (flaps?.first) flapping.set(anomaly.id, row.flapsAbove + 1);
    const dependency = dependent.has(anomaly.id) ? whileParentIsSilent(now) : undefined;
    const hold = latest([windowHold(windows, anomaly, now), dependency, ...asideHolds(row, flaps, now)]);
    if (hold) held.set(anomaly.id, hold);
  }
  return { held, flapping };
}

const whileParentIsSilent = (now: Date): Hold => ({ by: "dependency", until: addMs(now, CHECK_MS) });

function asideHolds({ snoozedUntil, mutedUntil }: AsideRow, flaps: Flapping | undefined, now: Date): Hold[] {
  const holds: Hold[] = [];
  if (snoozedUntil) holds.push({ by: "snooze", until: snoozedUntil });
  if (mutedUntil) holds.push({ by: "mute", until: mutedUntil });
  if (flaps && !flaps.first && flaps.until > now) holds.push({ by: "flapping", until: flaps.until });
  return holds;
}

function latest(holds: readonly (Hold | undefined)[]): Hold | undefined {
  return holds.reduce((last, each) => (each && (!last || each.until > last.until) ? each : last), undefined);
}

/** The due steps of a batch that are held back, and each anomaly as its page to a group describes it. */
export interface HeldBack<Step> {
  held: Step[];
  describe: (step: Step) => PagedAnomaly | undefined;
}

/** Postpones the due steps whose pages are held back. */
export async function holdBack<Step extends Omit<HeldStep, "hold">>(
  { ids }: Pick<NotificationsDeps, "ids">,
  tx: Tx,
  due: readonly Step[],
  anomalies: ReadonlyMap<string, PagedAnomaly>,
  now: Date,
): Promise<HeldBack<Step>> {
  const { held: holds, flapping } = await readHolds(tx, anomalies, now);
  const free = [...anomalies.values()].filter(({ id, status }) => status === "open" && !holds.has(id));
  const freeIds = free.map(({ id }) => id);
  const grouped = await groupByCause(tx, freeIds, { ids, now });
  const dependents = await readDependents(tx, freeIds);
  const pageOf = ({ anomaly_id: id, group_id }: Step) => grouped.pages.get(`${grouped.outages.get(id)} ${group_id}`);
  const holdOf = (step: Step): Hold | undefined => {
    const page = pageOf(step);
    if (page && page.anomalyId !== step.anomaly_id) return { by: "outage", until: grouped.checkAt };
    return holds.get(step.anomaly_id) ?? grouped.waiting.get(step.anomaly_id);
  };
  const held = due.flatMap((step) => {
    const hold = holdOf(step);
    return hold ? [{ step, hold }] : [];
  });
  await putOff(tx, firstSteps(held.map(({ step, hold }) => ({ ...step, hold }))));
  return {
    held: held.map(({ step }) => step),
    describe: (step) => {
      const anomaly = anomalies.get(step.anomaly_id);
      const [page, openings] = [pageOf(step), flapping.get(step.anomaly_id)];
      if (!anomaly) return undefined;
      if (page) return { ...anomaly, ...outageText(page) };
      const flaps = openings === undefined ? "" : `flaps, opened ${openings} times within an hour: `;
      const silent = dependents.get(anomaly.id);
      return { ...anomaly, message: `${flaps}${anomaly.message}${silent ? `; ${dependentsText(silent)}` : ""}` };
    },
  };
}
