import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY, HOUR, MINUTE } from "../../lib/clock.ts";
import { DAYS_OF_WEEK, dutiesBetween, dutyAt, nextDuty, type ShiftTimes } from "./shift-calendar.ts";

/**
 * Weeks around the start and the end of daylight saving time, and another week; for Apia also the one with the skipped
 * Friday.
 */
const WEEKS: [zone: string, ...middles: string[]][] = [
  ["Europe/Berlin", "2026-03-29", "2026-10-25", "2026-07-01"],
  ["America/New_York", "2026-03-08", "2026-11-01", "2026-01-01"],
  ["Australia/Lord_Howe", "2026-04-05", "2026-10-04", "2026-12-31"],
  ["Asia/Kolkata", "2026-02-28"],
  ["Pacific/Apia", "2011-12-30", "2012-04-01", "2012-09-30"],
  ["Africa/Casablanca", "2026-02-15", "2026-03-22", "2025-02-23"],
  ["Atlantic/Azores", "2026-03-29", "2026-10-25"],
  ["America/Havana", "2026-03-08", "2026-11-01"],
];

interface Minute {
  at: number;
  /** The latest wall time shown so far. It stands still while an hour repeats. */
  shown: number;
}

interface Week {
  zone: string;
  minutes: Minute[];
}

/**
 * Returns every minute of eight days in local time, reading the zone data in a different way than the code under test.
 */
function localMinutes(zone: string, middle: string): Week {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const from = Date.parse(middle) - 4 * DAY;
  const minutes: Minute[] = [];
  let shown = Number.NEGATIVE_INFINITY;
  for (let at = from - DAY; at < from + 8 * DAY; at += MINUTE) {
    const [month, day, year, hour, minute] = format.format(at).match(/\d+/g)!.map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    shown = Math.max(shown, Date.UTC(year, month - 1, day, hour, minute));
    if (at >= from) minutes.push({ at, shown });
  }
  return { zone, minutes };
}

const weeks = WEEKS.flatMap(([zone, ...middles]) => middles.map((middle) => localMinutes(zone, middle)));

/** The reference: the wall time is in the span of a day on which the shift begins. */
function onDuty(times: ShiftTimes): (shown: number) => boolean {
  const start = Date.parse(`1970-01-01T${times.startTime}Z`);
  const end = Date.parse(`1970-01-01T${times.endTime}Z`);
  const span = [start, end <= start ? end + DAY : end] as const;
  const first = Date.parse(times.validFrom ?? "1970-01-01");
  const last = Date.parse(times.validUntil ?? "9999-12-31");
  const begins = (day: number) =>
    first <= day && day <= last && times.daysOfWeek.includes(DAYS_OF_WEEK[(new Date(day).getUTCDay() + 6) % 7]!);
  return (shown) => {
    const today = shown - (shown % DAY);
    return [today, today - DAY].some((day) => day + span[0] <= shown && shown < day + span[1] && begins(day));
  };
}

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 0, 15, 30, 45, 59))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
/** Mostly times in the hours in which clocks change. */
const anyTime = fc.oneof(time, fc.constantFrom("00:00", "00:30", "01:00", "01:45", "02:00", "02:30", "03:00", "03:15"));
const week = fc.constantFrom(...weeks);

function shiftIn({ zone, minutes }: Week): fc.Arbitrary<ShiftTimes> {
  const date = fc.integer({ min: 0, max: 8 }).map((day) => new Date(minutes[0]!.at + day * DAY).toISOString());
  const bound = fc.option(
    date.map((text) => text.slice(0, 10)),
    { freq: 2 },
  );
  return fc.record({
    timeZone: fc.constant(zone),
    startTime: anyTime,
    endTime: anyTime,
    daysOfWeek: fc.oneof(fc.constant([...DAYS_OF_WEEK]), fc.subarray([...DAYS_OF_WEEK], { minLength: 1 })),
    validFrom: bound,
    validUntil: bound,
  });
}

const weekAndShift = week.chain((each) => fc.tuple(fc.constant(each), shiftIn(each)));

test("around every change of the clock, duties match local time minute by minute", () => {
  fc.assert(
    fc.property(weekAndShift, ([{ minutes }, times]) => {
      const expected = onDuty(times);
      const end = minutes.at(-1)!.at + MINUTE;
      const duties = dutiesBetween(times, new Date(minutes[0]!.at), new Date(end));
      let index = 0;
      const wrong = minutes.filter(({ at, shown }) => {
        while (duties[index] && duties[index]!.endsAt.getTime() <= at) index++;
        const found = duties[index] !== undefined && duties[index]!.startsAt.getTime() <= at;
        return found !== expected(shown);
      });
      assert.deepEqual(wrong.slice(0, 1), []);
    }),
    { numRuns: 300 },
  );
});

test("dutyAt and nextDuty agree with the duties of the week", () => {
  const asked = weekAndShift.chain(([each, times]) =>
    fc.tuple(fc.constant(each), fc.constant(times), fc.integer({ min: 0, max: 6 * DAY })),
  );
  fc.assert(
    fc.property(asked, ([{ minutes }, times, ms]) => {
      const [from, at, to] = [minutes[0]!.at, minutes[0]!.at + ms, minutes.at(-1)!.at].map((each) => new Date(each));
      const duties = dutiesBetween(times, from!, to!);
      assert.deepEqual(
        dutyAt(times, at!),
        duties.find((duty) => duty.startsAt <= at! && at! < duty.endsAt),
      );
      const next = nextDuty(times, at!);
      if (!next || next.startsAt < to!)
        assert.deepEqual(
          next,
          duties.find((duty) => duty.startsAt > at!),
        );
    }),
    { numRuns: 600 },
  );
});

test("two shifts that follow each other leave no gap and no overlap", () => {
  fc.assert(
    fc.property(week, anyTime, anyTime, ({ zone, minutes }, one, other) => {
      fc.pre(one !== other);
      const shift = (startTime: string, endTime: string) => ({ ...always(zone), startTime, endTime });
      const [from, to] = [new Date(minutes[0]!.at), new Date(minutes.at(-1)!.at)];
      const duties = [shift(one, other), shift(other, one)]
        .flatMap((times) => dutiesBetween(times, from, to))
        .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
      assert.ok(duties[0]!.startsAt <= from && to <= duties.at(-1)!.endsAt);
      for (const [index, duty] of duties.slice(1).entries()) assert.deepEqual(duty.startsAt, duties[index]!.endsAt);
    }),
    { numRuns: 300 },
  );
});

function always(timeZone: string): ShiftTimes {
  const rest = { startTime: "00:00", endTime: "00:00", validFrom: null, validUntil: null };
  return { timeZone, daysOfWeek: DAYS_OF_WEEK, ...rest };
}

const berlin = (startTime: string, endTime: string, more: Partial<ShiftTimes> = {}): ShiftTimes => ({
  ...always("Europe/Berlin"),
  startTime,
  endTime,
  ...more,
});
const hours = (times: ShiftTimes, day: string) => {
  const [duty] = dutiesBetween(times, new Date(`${day}T12:00:00Z`), new Date(`${day}T23:59:00Z`));
  return (duty!.endsAt.getTime() - duty!.startsAt.getTime()) / HOUR;
};

test("a night shift of eight hours lasts seven when daylight saving time starts and nine when it ends", () => {
  assert.equal(hours(berlin("22:00", "06:00"), "2026-07-01"), 8);
  assert.equal(hours(berlin("22:00", "06:00"), "2026-03-28"), 7);
  assert.equal(hours(berlin("22:00", "06:00"), "2026-10-24"), 9);
});

test("a skipped local time maps to the instant of the change, and a repeated one to the first of the two", () => {
  const at = (text: string) => new Date(text);
  const early = berlin("02:30", "06:00");
  assert.deepEqual(nextDuty(early, at("2026-03-29T00:00Z"))!.startsAt, at("2026-03-29T01:00Z"));
  assert.deepEqual(nextDuty(early, at("2026-10-25T00:00Z"))!.startsAt, at("2026-10-25T00:30Z"));
  // Both of its times are skipped on that Sunday, so Monday's duty is next.
  const short = berlin("02:10", "02:50");
  assert.deepEqual(nextDuty(short, at("2026-03-29T00:00Z"))!.startsAt, at("2026-03-30T00:10Z"));
});

test("a duty belongs to the day on which it begins, and may end after the last valid day", () => {
  const times = berlin("22:00", "06:00", { daysOfWeek: ["fri"], validFrom: "2026-11-13", validUntil: "2026-11-20" });
  const duties = dutiesBetween(times, new Date("2026-01-01"), new Date("2027-01-01"));
  assert.deepEqual(
    duties.map(({ startsAt, endsAt }) => [startsAt.toISOString(), endsAt.toISOString()]),
    [
      ["2026-11-13T21:00:00.000Z", "2026-11-14T05:00:00.000Z"],
      ["2026-11-20T21:00:00.000Z", "2026-11-21T05:00:00.000Z"],
    ],
  );
  assert.equal(nextDuty(times, duties[1]!.startsAt), undefined);
  assert.deepEqual(dutyAt(times, duties[1]!.startsAt), duties[1]);
  assert.equal(dutyAt(times, duties[1]!.endsAt), undefined);
});

test("equal start and end times are a whole day, exact to the millisecond", () => {
  const times = berlin("08:00", "08:00", { daysOfWeek: ["wed"] });
  const [duty] = dutiesBetween(times, new Date("2026-07-01T00:00Z"), new Date("2026-07-04T00:00Z"));
  assert.equal(duty!.endsAt.getTime() - duty!.startsAt.getTime(), DAY);
  const around = [-1, 0].flatMap((ms) => [duty!.startsAt, duty!.endsAt].map((at) => new Date(at.getTime() + ms)));
  assert.deepEqual(
    around.map((at) => dutyAt(times, at) !== undefined),
    [false, true, true, false],
  );
});
