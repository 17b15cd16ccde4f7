import { setImmediate } from "node:timers/promises";
import { useCase } from "../../access/access.ts";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import { seesGroup } from "../coverage/on-call.ts";
import type { NotificationsDeps } from "../deps.ts";
import { usersOf } from "../paging/divide-recipients.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import { readPeople } from "../personal/person-store.ts";
import { type CoveringWindow, readCoveringWindows } from "../windows/covering-window-store.ts";
import { changedGroup, checkWindows, type ReplayedChange } from "./changed-group.ts";
import { outcomeOf, pagesOf, type ReplayedPage, type ReplayOutcome } from "./outcome.ts";
import { type PastAnomaly, readHoldSettings, readPastAnomalies } from "./replay-store.ts";
import { type Configuration, type ReplayedAnomaly, type Simulated, simulate, withNeighbours } from "./simulate.ts";

export interface ReplayRequest extends ReplayedChange {
  /** The anomalies that opened in [`from`, `to`). */
  from: Date;
  to: Date;
}

/** A past period under the present configuration of a group and under a changed one. */
export interface Replay {
  /** The number of anomalies that were replayed. */
  anomalies: number;
  /** Whether a limit was reached, so that the last anomalies of the period are left out. */
  cut: boolean;
  present: ReplayOutcome;
  changed: ReplayOutcome;
  /** The pages under the changed configuration, by time. */
  pages: ReplayedPage[];
}

/** A refused caller may retry when a previous replay may have ended. */
const RETRY_AFTER_SECONDS = 5;
/** The anomalies that are simulated in one turn of the event loop. */
const IN_A_TURN = 4;

const turns = new TenantTurns();

/**
 * Reports whom the escalation of a group would have paged about the anomalies of a past period, under its present
 * configuration and under a changed one. Both apply the rules of live paging to the devices, people, windows, overrides
 * and absences of today. Anomalies ended when they did; snoozes, mutes and dependencies of devices are left out.
 * Nothing is stored or sent. A tenant's replays run one at a time.
 *
 * @throws MusterError not_found (the group); invalid_request with the place or unknown id in `detail`; rate_limited if too
 *   many replays are waiting
 */
export const replayPaging = useCase(
  { scope: "groups:read", role: "operator" },
  async (deps: NotificationsDeps, caller, groupId: string, request: ReplayRequest): Promise<Replay> => {
    const { db } = deps.database;
    const period = checkPeriod(request, deps.clock.now());
    const [group] = (await seesGroup(deps, caller, groupId)) ? await readGroups(db, caller.tenantId, [groupId]) : [];
    if (!group) throw notFound("group");
    const changed = await changedGroup(db, caller.tenantId, group, request);
    const windows = checkWindows(request.windows ?? []);
    if (turns.count(db, caller.tenantId) > records.waitingDryRuns.value)
      throw rateLimited("Too many replays of the tenant are waiting.", RETRY_AFTER_SECONDS);
    return await turns.take(db, caller.tenantId, async () => {
      const settings = await readHoldSettings(db, caller.tenantId);
      const before = { from: addMs(period.from, -HOUR), to: period.to };
      const most = records.replayedAnomalies.value;
      const read = await readPastAnomalies(db, { tenantId: caller.tenantId, groupId: group.id }, before, most + 1);
      const past = withNeighbours(read.slice(0, most), settings.flapsAbove);
      const people = await readPeople(db, usersOf([group, changed]));
      const covering = await windowsOver(deps, past, period);
      const { causeWaitMinutes = settings.causeWaitMinutes } = request;
      const added = new Map(
        past.map(({ id }) => [
          id,
          [...(covering.get(id) ?? []), ...windows.map((window) => ({ ...window, anomalyId: id }))],
        ]),
      );
      const run = await simulateBoth(deps, past, period, [
        { ...settings, group, people, windows: covering },
        { ...settings, causeWaitMinutes, group: changed, people, windows: added },
      ]);
      const [present, other] = run.simulated;
      return {
        anomalies: present.length,
        cut: run.cut || read.length > most,
        present: outcomeOf(present, group, period),
        changed: outcomeOf(other, changed, period),
        pages: pagesOf(other),
      };
    });
  },
);

/** @throws MusterError invalid_request */
function checkPeriod({ from, to }: ReplayRequest, now: Date): { from: Date; to: Date } {
  const days = records.replayDays.value;
  if (!(from < to)) throw invalidRequest("from must be before to", "from");
  if (from >= now) throw invalidRequest("A replay is of the past: from must be before now.", "from");
  if (to > addMs(from, days * DAY)) throw invalidRequest(`A replay covers at most ${days} days.`, "to");
  return { from, to: to < now ? to : now };
}

async function windowsOver(
  { database: { db }, clock }: NotificationsDeps,
  past: readonly PastAnomaly[],
  { from }: { from: Date },
): Promise<Map<string, CoveringWindow[]>> {
  const ids = past.map(({ id }) => id);
  return Map.groupBy(await readCoveringWindows(db, ids, from, clock.now()), ({ anomalyId }) => anomalyId);
}

async function simulateBoth(
  { clock, limits }: NotificationsDeps,
  past: readonly ReplayedAnomaly[],
  { from }: { from: Date },
  [present, changed]: [Configuration, Configuration],
): Promise<{ simulated: [Simulated[], Simulated[]]; cut: boolean }> {
  const until = performance.now() + limits.dryRunSeconds * SECOND;
  const simulated: [Simulated[], Simulated[]] = [[], []];
  const ofPeriod = past.filter(({ openedAt }) => openedAt >= from);
  for (const [place, anomaly] of ofPeriod.entries()) {
    if (place % IN_A_TURN === 0) await setImmediate();
    if (performance.now() >= until) return { simulated, cut: true };
    simulated[0].push(simulate(anomaly, present, clock.now()));
    simulated[1].push(simulate(anomaly, changed, clock.now()));
  }
  return { simulated, cut: false };
}
