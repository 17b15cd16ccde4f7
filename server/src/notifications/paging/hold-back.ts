import type { Tx } from "../../db/database.ts";
import { firstSteps, type HeldStep, type Hold } from "../holds/hold.ts";
import { putOff } from "../holds/hold-store.ts";
import { readCoveringWindows } from "../windows/covering-window-store.ts";
import { windowHold } from "../windows/window-hold.ts";
import type { PagedAnomaly } from "./paged-anomaly-store.ts";

/** Returns what holds back the pages of each open anomaly at `now`, by the anomaly's id. */
export async function readHolds(
  tx: Tx,
  anomalies: ReadonlyMap<string, PagedAnomaly>,
  now: Date,
): Promise<Map<string, Hold>> {
  const open = [...anomalies.values()].filter(({ status }) => status === "open");
  const ids = open.map(({ id }) => id);
  const windows = await readCoveringWindows(tx, ids, now);
  const holds = new Map<string, Hold>();
  for (const anomaly of open) {
    const hold = windowHold(windows, anomaly, now);
    if (hold) holds.set(anomaly.id, hold);
  }
  return holds;
}

/** Puts off those of the due steps whose pages are held back. @returns these steps */
export async function holdBack<Step extends Omit<HeldStep, "hold">>(
  tx: Tx,
  due: readonly Step[],
  anomalies: ReadonlyMap<string, PagedAnomaly>,
  now: Date,
): Promise<Step[]> {
  const holds = await readHolds(tx, anomalies, now);
  const held = due.filter((step) => holds.has(step.anomaly_id));
  await putOff(tx, firstSteps(held.map((step) => ({ ...step, hold: holds.get(step.anomaly_id)! }))));
  return held;
}
