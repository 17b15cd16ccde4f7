import { setImmediate } from "node:timers/promises";
import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import type { Span } from "../coverage/coverage.ts";
import { seesGroup } from "../coverage/on-call.ts";
import type { NotificationsDeps } from "../deps.ts";
import { usersOf } from "../paging/divide-recipients.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
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

const turns = new TenantTurns();

/**
 * Reports whom the escalation of a group would have paged about the anomalies of a past period, under its present
 * configuration and under a changed one. Both apply the rules of live paging to the devices, people, windows, overrides
 * and absences of today. Anomalies ended when they did; snoozes, mutes and dependencies of devices are left out.
 * Nothing is stored or sent. A tenant's replays run one at a time.
 *
 * @throws MusterError not_found (the group); invalid_request with the place or unknown id in `detail`; rate_limited if
 *   too many replays are waiting
 */
export const replayPaging = useCase(
  { scope: "groups:read", role: "operator" },
  async (deps: NotificationsDeps, caller, groupId: string, request: ReplayRequest): Promise<Replay> => {
    const { db } = deps.database;
    const period = checkPeriod(request, deps.clock.now());
    const isVisible = await seesGroup(db, boundedToGroupsOf(caller), groupId);
    const [group] = isVisible ? await readGroups(db, caller.tenantId, [groupId]) : [];
    if (!group) throw notFound("group");
    const changed = await changedGroup(db, caller.tenantId, group, request);
    const windows = checkWindows(request.windows ?? []);
    if (turns.count(db, caller.tenantId) > records.waitingDryRuns.value)
      throw rateLimited("Too many replays of the tenant are waiting.", RETRY_AFTER_SECONDS);
    const { causeWaitMinutes } = request;
    return await turns.take(db, caller.tenantId, () =>
      replay(deps, caller.tenantId, period, { group, changed, windows, causeWaitMinutes }),
    );
  },
);

/** The present group, and what is changed. */
interface Compared extends Pick<ReplayedChange, "causeWaitMinutes"> {
  group: PagedGroup;
  changed: PagedGroup;
  /** The windows in addition to the existing ones. */
  windows: readonly Omit<CoveringWindow, "anomalyId">[];
}

async function replay(
  deps: NotificationsDeps,
  tenantId: string,
  period: Span,
  { group, changed, windows, ...given }: Compared,
): Promise<Replay> {
  const { db } = deps.database;
  const settings = await readHoldSettings(db, tenantId);
  const most = records.replayedAnomalies.value;
  // An earlier opening within the hour may make the first ones flap.
  const read = await readPastAnomalies(
    db,
    { tenantId, groupId: group.id },
    { ...period, from: addMs(period.from, -HOUR) },
    most + 1,
  );
  const past = withNeighbours(read.slice(0, most), settings.flapsAbove);
  const people = await readPeople(db, usersOf([group, changed]));
  const existing = await windowsOver(deps, past, period);
  const added = new Map(
    past.map(({ id }) => [
      id,
      [...(existing.get(id) ?? []), ...windows.map((window) => ({ ...window, anomalyId: id }))],
    ]),
  );
  const { causeWaitMinutes = settings.causeWaitMinutes } = given;
  const run = await simulateBoth(deps, past, period, [
    { ...settings, group, people, windows: existing },
    { ...settings, causeWaitMinutes, group: changed, people, windows: added },
  ]);
  const [present, other] = run.simulated;
  return {
    anomalies: present.length,
    cut: run.cut || read.length > most,
    present: await outcomeOf(present, group, period),
    changed: await outcomeOf(other, changed, period),
    pages: pagesOf(other),
  };
}

/** @throws MusterError invalid_request */
function checkPeriod({ from, to }: ReplayRequest, now: Date): Span {
  const days = records.replayDays.value;
  if (!(from < to)) throw invalidRequest("from must be before to", "from");
  if (from >= now) throw invalidRequest("A replay is of the past: from must be before now.", "from");
  if (to > addMs(from, days * DAY)) throw invalidRequest(`A replay covers at most ${days} days.`, "to");
  return { from, to: to < now ? to : now };
}

async function windowsOver(
  { database: { db }, clock }: NotificationsDeps,
  past: readonly PastAnomaly[],
  { from }: Span,
): Promise<Map<string, CoveringWindow[]>> {
  const ids = past.map(({ id }) => id);
  return Map.groupBy(await readCoveringWindows(db, ids, from, clock.now()), ({ anomalyId }) => anomalyId);
}

async function simulateBoth(
  { clock, limits }: NotificationsDeps,
  past: readonly ReplayedAnomaly[],
  { from }: Span,
  [present, changed]: [Configuration, Configuration],
): Promise<{ simulated: [Simulated[], Simulated[]]; cut: boolean }> {
  const until = performance.now() + limits.dryRunSeconds * SECOND;
  const simulated: [Simulated[], Simulated[]] = [[], []];
  for (const anomaly of past.filter(({ openedAt }) => openedAt >= from)) {
    if (performance.now() >= until) return { simulated, cut: true };
    for (const [place, configuration] of [present, changed].entries()) {
      // The calendar of many shifts takes a while, during which device messages would wait.
      await setImmediate();
      simulated[place]!.push(simulate(anomaly, configuration, clock.now()));
    }
  }
  return { simulated, cut: false };
}
