import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAYS_OF_WEEK } from "../../groups/groups.ts";
import { addMs, DAY, HOUR, MINUTE } from "../../lib/clock.ts";
import { nextWindow, type WindowTimes, windowAt } from "./window-calendar.ts";

const STEP_MS = 15 * MINUTE;
/** Weeks in which clocks somewhere change, a leap day, and the end of a year. */
const WEEKS = [
  "2026-03-08",
  "2026-03-29",
  "2026-04-05",
  "2026-10-04",
  "2026-10-25",
  "2026-11-01",
  "2028-02-29",
  "2026-12-31",
];

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 45))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);

const recurring = fc
  .record({
    timeZone: fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
    startTime: fc.oneof(time, fc.constantFrom("00:00", "01:30", "02:00", "02:30", "03:00")),
    endTime: fc.oneof(time, fc.constantFrom("00:00", "01:30", "02:00", "02:30", "03:00")),
    daysOfWeek: fc.oneof(fc.constant([...DAYS_OF_WEEK]), fc.subarray([...DAYS_OF_WEEK], { minLength: 1 })),
  })
  .map((times) => ({ ...times, validFrom: null, validUntil: null }));

/** Returns the local minute of the week, by the formatted date: 0 is Monday 00:00. */
function localMinute(zone: string): (at: number) => { day: number; minute: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = DAYS_OF_WEEK.indexOf(parts.weekday!.slice(0, 3).toLowerCase() as (typeof DAYS_OF_WEEK)[number]);
    return { day, minute: Number(parts.hour) * 60 + Number(parts.minute) };
  };
}

/** The reference: the local clock shows a time within the span of a day on which the window begins. */
function shows(
  { startTime, endTime, daysOfWeek }: NonNullable<WindowTimes["recurrence"]>,
  day: number,
  minute: number,
) {
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const [start, end] = [minutes(startTime), minutes(endTime)];
  const begins = (index: number) => daysOfWeek.includes(DAYS_OF_WEEK[(index + 7) % 7]!);
  if (end > start) return begins(day) && start <= minute && minute < end;
  return (begins(day) && minute >= start) || (begins(day - 1) && minute < end);
}

const never = { skippedUntil: null, extendedFrom: null, extendedUntil: null };
const recurs = (recurrence: WindowTimes["recurrence"]): WindowTimes => ({
  startsAt: null,
  endsAt: null,
  recurrence,
  ...never,
});

test("in every zone of the list, a recurring window is in effect when the local clock says so", () => {
  const asked = fc.tuple(recurring, fc.constantFrom(...WEEKS), fc.integer({ min: 0, max: 24 * 4 }));
  for (const timeZone of Intl.supportedValuesOf("timeZone"))
    fc.assert(
      fc.property(asked, ([times, middle, offset]) => {
        const recurrence = { ...times, timeZone };
        const local = localMinute(recurrence.timeZone);
        const from = Date.parse(middle) - 2 * DAY + offset * STEP_MS;
        for (let at = from; at < from + DAY; at += STEP_MS) {
          const { day, minute } = local(at);
          // In an hour that the clock shows twice, the second time belongs to what followed the first.
          const changes = [-1, 1].some(
            (side) => local(at + side * 3 * HOUR).minute !== (minute + 1440 + side * 180) % 1440,
          );
          if (changes) continue;
          const found = windowAt(recurs(recurrence), new Date(at)) !== undefined;
          assert.equal(found, shows(recurrence, day, minute), `${recurrence.timeZone} ${new Date(at).toISOString()}`);
        }
      }),
      { numRuns: 3 },
    );
});

test("around every change of the clock, an occurrence begins and ends once, and never overlaps the next", () => {
  fc.assert(
    fc.property(recurring, fc.constantFrom(...WEEKS), (recurrence, middle) => {
      const window = recurs(recurrence);
      let at = new Date(Date.parse(middle) - 2 * DAY);
      for (let count = 0; count < 5; count++) {
        const next = nextWindow(window, at);
        assert.ok(next && next.startsAt > at && next.endsAt > next.startsAt);
        assert.deepEqual(windowAt(window, next.startsAt), next);
        assert.deepEqual(windowAt(window, addMs(next.endsAt, -1)), next);
        const after = windowAt(window, next.endsAt);
        assert.ok(!after || after.startsAt.getTime() === next.endsAt.getTime());
        at = addMs(next.endsAt, -1);
      }
    }),
    { numRuns: 400 },
  );
});

test("an occurrence that ends early or is extended changes that occurrence alone", () => {
  fc.assert(
    fc.property(recurring, fc.constantFrom(...WEEKS), fc.integer({ min: 1, max: 36 }), (recurrence, middle, hours) => {
      const window = recurs(recurrence);
      const first = nextWindow(window, new Date(Date.parse(middle)))!;
      const skipped = { ...window, skippedUntil: first.endsAt };
      assert.equal(windowAt(skipped, first.startsAt), undefined);
      const second = nextWindow(window, addMs(first.endsAt, -1))!;
      assert.deepEqual(windowAt(skipped, second.startsAt), second);
      assert.deepEqual(nextWindow(skipped, first.startsAt), second);

      const until = addMs(first.endsAt, hours * HOUR);
      const extended = { ...window, extendedFrom: first.startsAt, extendedUntil: until };
      for (let at = first.startsAt; at < until; at = addMs(at, HOUR)) {
        const current = windowAt(extended, at);
        assert.ok(current && current.startsAt <= first.startsAt && current.endsAt >= until);
      }
      const later = addMs(until, 3 * DAY);
      assert.deepEqual(windowAt(extended, later), windowAt(window, later));
    }),
    { numRuns: 300 },
  );
});
