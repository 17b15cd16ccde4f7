import type { Tx } from "../../db/database.ts";
import { type AsideRow, readAside } from "../aside/aside-store.ts";
import { type Flapping, flappingOf } from "../aside/flapping.ts";
import { firstSteps, type HeldStep, type Hold } from "../holds/hold.ts";
import { putOff } from "../holds/hold-store.ts";
import { readCoveringWindows } from "../windows/covering-window-store.ts";
import { windowHold } from "../windows/window-hold.ts";
import type { PagedAnomaly } from "./paged-anomaly-store.ts";

/** What holds back the pages of anomalies, by their ids, and which of them stand for others. */
export interface Holds {
  held: ReadonlyMap<string, Hold>;
  /** The number of openings of the anomalies that begin to flap. */
  flapping: ReadonlyMap<string, number>;
}

/** Returns what holds back the pages of each open anomaly at `now`: of several reasons, the one that ends last. */
export async function readHolds(tx: Tx, anomalies: ReadonlyMap<string, PagedAnomaly>, now: Date): Promise<Holds> {
  const open = [...anomalies.values()].filter(({ status }) => status === "open");
  const ids = open.map(({ id }) => id);
  const windows = await readCoveringWindows(tx, ids, now);
  const aside = new Map((await readAside(tx, ids, now)).map((row) => [row.anomalyId, row]));
  const [held, flapping] = [new Map<string, Hold>(), new Map<string, number>()];
  for (const anomaly of open) {
    const row = aside.get(anomaly.id)!;
    const flaps = flappingOf(row.openings, row.flapsAbove);
    if (flaps?.first) flapping.set(anomaly.id, row.flapsAbove + 1);
    const hold = latest([windowHold(windows, anomaly, now), ...asideHolds(row, flaps, now)]);
    if (hold) held.set(anomaly.id, hold);
  }
  return { held, flapping };
}

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

/** The due steps of a batch that are held back, and the anomalies as their pages describe them. */
export interface HeldBack<Step> {
  held: Step[];
  described: Map<string, PagedAnomaly>;
}

/** Puts off those of the due steps whose pages are held back. */
export async function holdBack<Step extends Omit<HeldStep, "hold">>(
  tx: Tx,
  due: readonly Step[],
  anomalies: ReadonlyMap<string, PagedAnomaly>,
  now: Date,
): Promise<HeldBack<Step>> {
  const { held: holds, flapping } = await readHolds(tx, anomalies, now);
  const held = due.filter((step) => holds.has(step.anomaly_id));
  await putOff(tx, firstSteps(held.map((step) => ({ ...step, hold: holds.get(step.anomaly_id)! }))));
  const described = new Map(anomalies);
  for (const [id, openings] of flapping) {
    const anomaly = anomalies.get(id)!;
    described.set(id, { ...anomaly, message: `flaps, opened ${openings} times within an hour: ${anomaly.message}` });
  }
  return { held, described };
}
