import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { createPauses } from "../../lib/pauses.ts";
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
import { readHoldSettings, readPastAnomalies } from "./replay-store.ts";
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

/** Steps later than this after the period are left out: an old anomaly may be open for years. */
const AFTER_MS = 7 * DAY;
/** The recipients of all steps that are held in memory; a group may have thousands of members. */
const MOST_RECIPIENTS = 50_000;
/** The anomalies whose windows are read at once. */
const PART = 50;
/** The longest work between two turns of the event loop. */
const PAUSE_MS = 5;

const turns = new TenantTurns();

/**
 * Reports whom the escalation of a group would have paged about the anomalies of a past period, under its present
 * configuration and under a changed one. Both apply the rules of live paging to the devices, people, windows, overrides
 * and absences of today, and to the outages that were found, of which those of the last 30 days are stored. Anomalies
 * ended when they did; snoozes, mutes, dependencies of devices and the last resort are left out. Nothing is stored or
 * sent. A tenant's replays run one at a time.
 *
 * @throws MusterError not_found (the group); invalid_request with the place or unknown id in `detail`; rate_limited if
 *   too many replays are waiting
 */
export const replayPaging = useCase(
  { scope: "groups:read", role: "admin" },
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
  const { causeWaitMinutes = settings.causeWaitMinutes } = given;
  const run = await simulateBoth(deps, past, period, [
    { ...settings, group, people, added: [] },
    { ...settings, causeWaitMinutes, group: changed, people, added: windows },
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
  if (from.getTime() < 0) throw invalidRequest("from must not be before 1970", "from");
  if (from >= now) throw invalidRequest("A replay is of the past: from must be before now.", "from");
  if (to > addMs(from, days * DAY)) throw invalidRequest(`A replay covers at most ${days} days.`, "to");
  return { from, to: to < now ? to : now };
}

/** Simulates the anomalies of the period under two configurations, as far as the time suffices. */
async function simulateBoth(
  { clock, database: { db }, limits }: NotificationsDeps,
  past: readonly ReplayedAnomaly[],
  { from, to }: Span,
  configurations: readonly [Configuration, Configuration],
): Promise<{ simulated: [Simulated[], Simulated[]]; cut: boolean }> {
  const end = performance.now() + limits.dryRunSeconds * SECOND;
  const [now, last] = [clock.now(), addMs(to, AFTER_MS)];
  const how = { until: last < now ? last : now, pause: createPauses(PAUSE_MS) };
  const simulated: [Simulated[], Simulated[]] = [[], []];
  let recipients = 0;
  const ofPeriod = past.filter(({ openedAt }) => openedAt >= from);
  for (let first = 0; first < ofPeriod.length; first += PART) {
    const part = ofPeriod.slice(first, first + PART);
    const ids = part.map(({ id }) => id);
    const windows = Map.groupBy(await readCoveringWindows(db, ids, from, how.until), ({ anomalyId }) => anomalyId);
    for (const anomaly of part) {
      if (performance.now() >= end || recipients > MOST_RECIPIENTS) return { simulated, cut: true };
      for (const [place, configuration] of configurations.entries()) {
        const pages = await simulate(anomaly, windows.get(anomaly.id) ?? [], configuration, how);
        simulated[place]!.push(pages);
        for (const { notified, deferred } of pages.steps) recipients += notified.length + deferred.length;
      }
    }
  }
  return { simulated, cut: false };
}
