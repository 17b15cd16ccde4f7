import { addMs, MINUTE } from "../../lib/clock.ts";
import { flappingOf } from "../aside/flapping.ts";
import type { Hold } from "../holds/hold.ts";
import { divideRecipients } from "../paging/divide-recipients.ts";
import { type Notify, type PagedGroup, type Recipient, recipientsOf } from "../paging/recipients.ts";
import type { PersonRow } from "../personal/person-store.ts";
import { onDutyAt } from "../roster/personal-duty.ts";
import type { CoveringWindow } from "../windows/covering-window-store.ts";
import { windowHold } from "../windows/window-hold.ts";
import type { HoldSettings, PastAnomaly } from "./replay-store.ts";

/** A configuration under which past anomalies are paged. */
export interface Configuration extends HoldSettings {
  group: PagedGroup;
  people: ReadonlyMap<string, PersonRow>;
  /** The windows over all devices of the group, in addition to the existing ones. */
  added: readonly Omit<CoveringWindow, "anomalyId">[];
}

/** An anomaly with what others of the period say about it. */
export interface ReplayedAnomaly extends PastAnomaly {
  /** Its opening and the earlier ones of its source, the latest first. */
  openings: Date[];
  /** Whether the page of another anomaly of its outage stands for it, if silences wait for others at all. */
  isTold: boolean;
}

/** A step of the escalation, and whom it would have reached. */
export interface ReplayedStep {
  anomaly: ReplayedAnomaly;
  at: Date;
  afterMinutes: number;
  notify: Notify;
  /** Empty if the step reached nobody. */
  notified: Recipient[];
  /** The people whose quiet choices would have deferred it. */
  deferred: Recipient[];
}

/** The pages of an anomaly under a configuration. */
export interface Simulated {
  steps: ReplayedStep[];
  /** Whether a window, an outage, flapping or the wait for others held a step back. */
  wasHeld: boolean;
}

/** Adds to each anomaly the earlier openings of its source, and whether its outage was told of by another one. */
export function withNeighbours(anomalies: readonly PastAnomaly[], flapsAbove: number): ReplayedAnomaly[] {
  const openings = new Map<string, Date[]>();
  const outages = new Set<string>();
  return anomalies.map((anomaly) => {
    const own = [anomaly.openedAt, ...(openings.get(anomaly.source) ?? [])].slice(0, flapsAbove + 2);
    openings.set(anomaly.source, own);
    const isTold = anomaly.outageId !== null && outages.has(anomaly.outageId);
    if (anomaly.outageId !== null) outages.add(anomaly.outageId);
    return { ...anomaly, openings: own, isTold };
  });
}

/**
 * Returns the steps of a group's escalation for an anomaly under a configuration, until it was acknowledged or resolved
 * or `until`, by the rules of live paging: a hold moves its step and the later ones, and a step that reaches nobody
 * makes the next one due.
 *
 * @param existing the maintenance windows over its device
 */
export async function simulate(
  anomaly: ReplayedAnomaly,
  existing: readonly CoveringWindow[],
  configuration: Configuration,
  { until, pause }: { until: Date; pause: () => Promise<void> },
): Promise<Simulated> {
  const { group, people, added, causeWaitMinutes } = configuration;
  const windows = [...existing, ...added.map((window) => ({ ...window, anomalyId: anomaly.id }))];
  const holdAt = async (at: Date) => {
    // The calendar of many windows takes a while, during which device messages would wait.
    await pause();
    return latestHold(anomaly, configuration, windows, at);
  };
  const due = group.escalation.map(({ afterMinutes }) => addMs(anomaly.openedAt, afterMinutes * MINUTE));
  const isSent = (at: Date) => at <= until && (!anomaly.endedAt || at < anomaly.endedAt);
  const simulated: Simulated = { steps: [], wasHeld: false };
  if (anomaly.isTold && causeWaitMinutes > 0) return { ...simulated, wasHeld: due.length > 0 };
  for (const [place, { afterMinutes, notify }] of group.escalation.entries()) {
    for (let hold = await holdAt(due[place]!); hold && isSent(due[place]!); ) {
      simulated.wasHeld = true;
      const by = hold.until.getTime() - due[place]!.getTime();
      for (let later = place; later < due.length; later++) due[later] = addMs(due[later]!, by);
      hold = await holdAt(due[place]!);
    }
    const at = due[place]!;
    if (!isSent(at)) break;
    const by = { severity: anomaly.severity, group, people, duties: onDutyAt(at) };
    const { notified, deferred } = divideRecipients(recipientsOf(notify, group, at), by, at);
    simulated.steps.push({ anomaly, at, afterMinutes, notify, notified, deferred: deferred.map(({ to }) => to) });
    const next = due[place + 1];
    if (notified.length === 0 && next && next > at) due[place + 1] = at;
  }
  return simulated;
}

/** Returns what holds the pages of an anomaly back at `at`: if there are several reasons, the last to end. */
function latestHold(
  anomaly: ReplayedAnomaly,
  { causeWaitMinutes, flapsAbove }: HoldSettings,
  windows: readonly CoveringWindow[],
  at: Date,
): Hold | undefined {
  const holds: (Hold | undefined)[] = [windowHold(windows, anomaly, at)];
  if (anomaly.isSilence) holds.push({ by: "cause", until: addMs(anomaly.openedAt, causeWaitMinutes * MINUTE) });
  const flaps = anomaly.severity === "critical" ? undefined : flappingOf(anomaly.openings, flapsAbove);
  if (flaps && !flaps.first) holds.push({ by: "flapping", until: flaps.until });
  return holds.reduce(
    (last, hold) => (hold && hold.until > at && (!last || hold.until > last.until) ? hold : last),
    undefined,
  );
}
