import { setImmediate } from "node:timers/promises";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { wallTime } from "../../lib/time-zone.ts";
import { coveredTimes, type Span, uncoveredTimes } from "../coverage/coverage.ts";
import type { Notify, PagedGroup, Recipient } from "../paging/recipients.ts";
import type { ReplayedStep, Simulated } from "./simulate.ts";

/** The local hours of a night: from 22:00 to 06:00. */
const NIGHT = { from: 22 * HOUR, to: 6 * HOUR };

/** The pages that a person would have received. */
export interface PersonPages {
  userId: string;
  pages: number;
  /** Those between 22:00 and 06:00 in the time zone of the shift. */
  pagesAtNight: number;
  /** The number of nights with a page. */
  nights: number;
}

/** A page that would have been sent, or a step that reached nobody. */
export interface ReplayedPage {
  at: Date;
  anomalyId: string;
  deviceId: string;
  deviceName: string;
  severity: string;
  openedAt: Date;
  afterMinutes: number;
  notify: Notify;
  /** The person, or `null` for a channel of the group and for a step that reached nobody. */
  userId: string | null;
  /** `nobody`: the step had no recipients; `deferred`: quiet choices deferred the person's page. */
  result: "paged" | "deferred" | "nobody";
  atNight: boolean;
}

/** The pages of a period under a configuration, summed up. */
export interface ReplayOutcome {
  /** The pages to people, and to channels of the group. A person is paged once a step, at whatever addresses. */
  pages: number;
  pagesAtNight: number;
  channelPages: number;
  /** The anomalies of which somebody was told. */
  paged: number;
  /** Those with a due step, of which nobody was told. */
  unreached: number;
  /** Those without a page because it was held back: another page stood for it, or it ended before. */
  held: number;
  /** The median time from the opening of an anomaly to its first page, in seconds; `null` without a page. */
  medianSeconds: number | null;
  /** Most pages first. */
  people: PersonPages[];
  /** The hours of the period in which an anomaly would have reached nobody, rounded up to a tenth. */
  uncoveredHours: number;
  gaps: Span[];
}

/** Sums the steps of a period up. */
export async function outcomeOf(
  simulated: readonly Simulated[],
  group: PagedGroup,
  period: Span,
): Promise<ReplayOutcome> {
  const steps = simulated.flatMap((each) => each.steps);
  const people = peopleOf(steps);
  const firsts = simulated.flatMap((each) => each.steps.find(({ notified }) => notified.length > 0) ?? []);
  const gaps = await gapsOf(group, period);
  const uncoveredMs = gaps.reduce((sum, gap) => sum + gap.to.getTime() - gap.from.getTime(), 0);
  const sum = (count: (person: PersonPages) => number) => people.reduce((total, each) => total + count(each), 0);
  return {
    pages: sum(({ pages }) => pages),
    pagesAtNight: sum(({ pagesAtNight }) => pagesAtNight),
    channelPages: steps.flatMap(({ notified }) => notified.filter(({ userId }) => userId === null)).length,
    paged: firsts.length,
    unreached: simulated.filter(({ steps }) => steps.length > 0 && steps.every(reachedNobody)).length,
    held: simulated.filter(({ steps, wasHeld }) => steps.length === 0 && wasHeld).length,
    medianSeconds: median(firsts.map(({ at, anomaly }) => (at.getTime() - anomaly.openedAt.getTime()) / SECOND)),
    people,
    uncoveredHours: Math.ceil((uncoveredMs / HOUR) * 10) / 10,
    gaps,
  };
}

/** Returns the uncovered times, found week by week: device messages would wait for the calendar of many shifts. */
async function gapsOf(group: PagedGroup, { from, to }: Span): Promise<Span[]> {
  const covered: Span[] = [];
  for (let begin = from; begin < to; begin = addMs(begin, 7 * DAY)) {
    const end = addMs(begin, 7 * DAY);
    covered.push(...coveredTimes(group, begin, end < to ? end : to));
    await setImmediate();
  }
  return uncoveredTimes(covered, from, to);
}

const reachedNobody = ({ notified }: ReplayedStep) => notified.length === 0;

/** Returns the recipients of a step: each person once, whatever the addresses, and each channel of the group. */
function eachOnce(recipients: readonly Recipient[]): Recipient[] {
  const byUser = new Map(recipients.map((to) => [to.userId ?? `${to.channel} ${to.target}`, to]));
  return [...byUser.values()];
}

function peopleOf(steps: readonly ReplayedStep[]): PersonPages[] {
  const people = new Map<string, PersonPages & { ofNights: Set<number> }>();
  for (const { notified, at } of steps) {
    for (const { userId, timeZone } of eachOnce(notified)) {
      if (userId === null) continue;
      const none = { pages: 0, pagesAtNight: 0, nights: 0, ofNights: new Set<number>() };
      const person = people.get(userId) ?? { userId, ...none };
      people.set(userId, person);
      const night = nightAt(timeZone, at);
      person.pages++;
      if (night === undefined) continue;
      person.pagesAtNight++;
      person.nights = person.ofNights.add(night).size;
    }
  }
  return [...people.values()].map(({ ofNights: _, ...person }) => person).sort((a, b) => b.pages - a.pages);
}

/** Returns the night of `at`, as the number of the day on which it began, or `undefined` by day. */
export function nightAt(timeZone: string, at: Date): number | undefined {
  const wall = wallTime(timeZone, at.getTime());
  const ofDay = ((wall % DAY) + DAY) % DAY;
  return ofDay >= NIGHT.from || ofDay < NIGHT.to ? Math.floor((wall - NIGHT.to) / DAY) : undefined;
}

/** Lists the first pages of the steps, by time. */
export function pagesOf(simulated: readonly Simulated[]): ReplayedPage[] {
  const steps = simulated.flatMap((each) => each.steps).sort((a, b) => a.at.getTime() - b.at.getTime());
  return steps.flatMap((step) => pagesOfStep(step)).slice(0, records.replayedPages.value);
}

function pagesOfStep(step: ReplayedStep): ReplayedPage[] {
  const { anomaly, at, afterMinutes, notify, notified, deferred } = step;
  const { id: anomalyId, deviceId, deviceName, severity, openedAt } = anomaly;
  const page = (result: ReplayedPage["result"], to?: Recipient): ReplayedPage => ({
    ...{ at, anomalyId, deviceId, deviceName, severity, openedAt, afterMinutes, notify, result },
    userId: to?.userId ?? null,
    atNight: to !== undefined && nightAt(to.timeZone, at) !== undefined,
  });
  const pages = [...eachOnce(notified).map((to) => page("paged", to)), ...deferred.map((to) => page("deferred", to))];
  return pages.length > 0 ? pages : [page("nobody")];
}

function median(values: number[]): number | null {
  if (values.length === 0) return null;
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!;
}
