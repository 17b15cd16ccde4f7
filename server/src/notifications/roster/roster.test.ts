import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAYS_OF_WEEK, dutyAt, nextDuty, type Rotation } from "../../groups/groups.ts";
import { addMs, DAY, HOUR, MINUTE } from "../../lib/clock.ts";
import { dutiesAt } from "./personal-duty.ts";
import {
  type Roster,
  type RosterAbsence,
  type RosterOverride,
  type RosterShift,
  rosterAt,
  rosterBetween,
} from "./roster.ts";

const PEOPLE = ["ada", "bob", "cy", "dee"].map((id) => ({ id, email: `${id}@acme.example` }));
const ids = PEOPLE.map(({ id }) => id);
const person = (id: string) => PEOPLE.find((each) => each.id === id)!;
const STEP = 15 * MINUTE;
/** Days from which every zone is looked at: the year's changes of the clock, and a leap day. */
const LEAP_DAY = Date.parse("2028-02-29");

/** Returns a function to the wall time of a zone, which reads the zone data in another way than the code under test. */
function wallClock(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return (at) => {
    const [month, day, year, hour, minute] = format.format(at).match(/\d+/g)!.map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

/** Returns the days around which the clock of a zone is changed in 2026 and 2027, and the leap day. */
function daysOf(wall: (at: number) => number): number[] {
  const [first, last] = [Date.parse("2026-01-01"), Date.parse("2027-12-31")];
  const found = [LEAP_DAY];
  for (let at = first; at < last; at += 7 * DAY) {
    if (wall(at) - at === wall(at + 7 * DAY) - at - 7 * DAY) continue;
    let day = at;
    while (wall(day + DAY) - day - DAY === wall(day) - day) day += DAY;
    found.push(day);
  }
  return found;
}

interface Shown {
  at: number;
  /** The latest wall time shown so far. It stands still while an hour repeats. */
  shown: number;
}

/** Returns every quarter of an hour of four days around `day`. */
function shownAround(wall: (at: number) => number, day: number): Shown[] {
  const steps: Shown[] = [];
  let shown = Number.NEGATIVE_INFINITY;
  for (let at = day - 3 * DAY; at < day + 2 * DAY; at += STEP) {
    shown = Math.max(shown, wall(at));
    if (at >= day - 2 * DAY) steps.push({ at, shown });
  }
  return steps;
}

/** The reference: who is on duty, from the time that a clock on the wall has shown. */
function naive(roster: Roster, { at, shown }: Shown): string {
  const on = roster.shifts.flatMap((shift) => {
    const names = changed(roster, at, namesOf(shift, shown));
    return isOn(shift, shown) ? [[shift, names] as const] : [];
  });
  const layers = on.filter(([, names]) => names.length > 0).map(([shift]) => shift.layer);
  const paged = on.filter(([shift]) => layers.every((layer) => layer <= shift.layer));
  return JSON.stringify(paged.map(([shift, names]) => [shift.id, ...names]).sort());
}

/** Returns the people of a shift after the overrides of this instant, one after the other, without those absent. */
function changed({ overrides, absences }: Roster, at: number, usual: string[]): string[] {
  let names = usual;
  for (const { startsAt, endsAt, replaces, user } of overrides) {
    if (!isIn({ startsAt, endsAt }, at)) continue;
    const taker = user?.id ?? "nobody";
    names = replaces === null ? [taker] : names.map((name) => (name === replaces ? taker : name));
    names = [...new Set(names)].filter((name) => name !== "nobody");
  }
  return names.filter((name) => !absences.some(({ userId, ...times }) => userId === name && isIn(times, at)));
}

const isIn = ({ startsAt, endsAt }: { startsAt: number; endsAt: number }, at: number) => startsAt <= at && at < endsAt;

const timeOf = (text: string) => Date.parse(`1970-01-01T${text}Z`);

function isOn({ startTime, endTime, daysOfWeek }: RosterShift, shown: number): boolean {
  const [start, end] = [timeOf(startTime), timeOf(endTime)];
  const today = shown - (shown % DAY);
  return [today, today - DAY].some((day) => {
    const begins = daysOfWeek.includes(DAYS_OF_WEEK[(new Date(day).getUTCDay() + 6) % 7]!);
    return begins && day + start <= shown && shown < day + (end <= start ? end + DAY : end);
  });
}

function namesOf(shift: RosterShift, shown: number): string[] {
  let names = shift.users.map(({ id }) => id);
  if (shift.rotation) {
    const { startDate, handOverTime, unit, every, turns } = shift.rotation;
    let left = shown - Date.parse(startDate) - timeOf(handOverTime);
    let turn = 0;
    for (; left < 0; left += every * (unit === "day" ? DAY : 7 * DAY)) turn = (turn + turns.length - 1) % turns.length;
    for (; left >= every * (unit === "day" ? DAY : 7 * DAY); left -= every * (unit === "day" ? DAY : 7 * DAY))
      turn = (turn + 1) % turns.length;
    names = names.filter((name) => turns[turn]!.includes(name));
  }
  return names;
}

const quarter = fc.integer({ min: 0, max: 95 }).map((n) => new Date(n * STEP).toISOString().slice(11, 16));
/** Mostly times in the hours in which clocks change. */
const time = fc.oneof(quarter, fc.constantFrom("00:00", "01:00", "01:45", "02:00", "02:30", "03:00"));
const anyone = fc.constantFrom(...ids);

function rotations(day: number): fc.Arbitrary<Rotation> {
  const date = fc.integer({ min: -30, max: 3 }).map((n) =>
    addMs(new Date(day), n * DAY)
      .toISOString()
      .slice(0, 10),
  );
  return fc.record({
    unit: fc.constantFrom("day", "day", "week"),
    every: fc.integer({ min: 1, max: 3 }),
    startDate: date,
    handOverTime: time,
    turns: fc.array(fc.uniqueArray(anyone, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 4 }),
  });
}

function rosterIn(zone: string, day: number): fc.Arbitrary<Roster> {
  const shift = (id: string) =>
    fc.record({
      id: fc.constant(id),
      name: fc.constant(id),
      timeZone: fc.constant(zone),
      startTime: time,
      endTime: time,
      daysOfWeek: fc.oneof(fc.constant([...DAYS_OF_WEEK]), fc.subarray([...DAYS_OF_WEEK], { minLength: 4 })),
      validFrom: fc.constant(null),
      validUntil: fc.constant(null),
      layer: fc.integer({ min: 0, max: 2 }),
      rotation: fc.option(rotations(day), { freq: 4 }),
      users: fc.oneof(fc.constant(PEOPLE), fc.subarray(PEOPLE)),
    });
  return fc.record({
    shifts: fc.tuple(shift("s1"), shift("s2"), shift("s3")).map((all) => [...all]),
    overrides: fc.array(overrideAround(day), { maxLength: 3 }),
    absences: fc.array(absenceAround(day), { maxLength: 3 }),
  });
}

/** A time in the four days around `day`. */
function timesAround(day: number): fc.Arbitrary<{ startsAt: number; endsAt: number }> {
  const [first, quarters] = [day - 3 * DAY, (5 * DAY) / STEP];
  return fc
    .tuple(fc.integer({ min: 0, max: quarters }), fc.integer({ min: 1, max: quarters }))
    .map(([from, length]) => ({ startsAt: first + from * STEP, endsAt: first + (from + length) * STEP }));
}

/** An override of anyone or everybody. */
function overrideAround(day: number): fc.Arbitrary<RosterOverride> {
  const people = fc.record({ replaces: fc.option(anyone), user: fc.option(fc.constantFrom(...PEOPLE), { freq: 6 }) });
  return fc.tuple(timesAround(day), people).map(([times, who]) => ({ ...times, ...who }));
}

function absenceAround(day: number): fc.Arbitrary<RosterAbsence> {
  return fc.tuple(timesAround(day), anyone).map(([times, userId]) => ({ ...times, userId }));
}

const spanText = (spans: ReturnType<typeof rosterBetween>) =>
  JSON.stringify(spans.map(({ shift, users }) => [shift.id, ...users.map(({ id }) => id)]).sort());

test("in every time zone, who is on duty equals the reference, around every change of the clock and a leap day", () => {
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const wall = wallClock(zone);
    for (const day of daysOf(wall)) {
      const steps = shownAround(wall, day);
      const [from, to] = [new Date(steps[0]!.at), new Date(steps.at(-1)!.at + STEP)];
      fc.assert(
        fc.property(rosterIn(zone, day), (roster) => {
          const spans = rosterBetween(roster, from, to);
          for (const step of steps) {
            const at = new Date(step.at);
            const found = spans.filter(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
            assert.equal(spanText(found), naive(roster, step), `${zone} ${at.toISOString()}`);
          }
        }),
        { numRuns: 1, seed: day + zone.length },
      );
    }
  }
});

test("who is on duty at an instant is the same as in the week", () => {
  const berlin = fc.tuple(rosterIn("Europe/Berlin", Date.parse("2026-10-25")), fc.integer({ min: -40, max: 40 }));
  fc.assert(
    fc.property(berlin, ([roster, hours]) => {
      const at = addMs(new Date("2026-10-25T00:30:00Z"), hours * HOUR);
      const week = rosterBetween(roster, addMs(at, -3 * DAY), addMs(at, 4 * DAY));
      const now = week.filter(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
      assert.deepEqual(rosterAt(roster, at), now);
      for (const { id } of PEOPLE)
        assert.equal(
          dutiesAt(at)(roster, id).isOn,
          now.some(({ users }) => users.some((user) => user.id === id)),
        );
    }),
    { numRuns: 60 },
  );
});

test("duties asked of one roster together are those that each user's own look at it gives", () => {
  const berlin = fc.tuple(rosterIn("Europe/Berlin", Date.parse("2026-10-25")), fc.integer({ min: -40, max: 40 }));
  fc.assert(
    fc.property(berlin, fc.option(fc.constant("2026-10-25")), ([{ shifts, ...changes }, hours], validUntil) => {
      const roster = { ...changes, shifts: shifts.map((shift, n) => (n === 0 ? shift : { ...shift, validUntil })) };
      const at = addMs(new Date("2026-10-25T00:30:00Z"), hours * HOUR);
      const until = addMs(at, 28 * DAY);
      const duties = dutiesAt(at);
      for (const { id } of PEOPLE) {
        const has = ({ users }: { users: readonly { id: string }[] }) => users.some((user) => user.id === id);
        const mine = rosterBetween(roster, at, until).filter(has);
        const isOn = mine.some(({ startsAt }) => startsAt <= at);
        const remaining = roster.shifts.filter((shift) => dutyAt(shift, at) ?? nextDuty(shift, at));
        const takes = changes.overrides.some(({ user, endsAt }) => user?.id === id && endsAt > at.getTime());
        const comes = remaining.some(has) || (remaining.length > 0 && takes);
        const first = mine.find(({ startsAt }) => startsAt > at)?.startsAt ?? until;
        assert.deepEqual(duties(roster, id), { isOn, next: isOn || !comes ? null : first });
      }
    }),
    { numRuns: 60 },
  );
});

const ALWAYS: RosterShift = {
  id: "s1",
  name: "Always",
  timeZone: "UTC",
  startTime: "00:00",
  endTime: "00:00",
  daysOfWeek: DAYS_OF_WEEK,
  validFrom: null,
  validUntil: null,
  layer: 0,
  rotation: { unit: "week", every: 1, startDate: "2026-11-02", handOverTime: "09:00", turns: [["ada"], ["bob", "cy"]] },
  users: PEOPLE,
};

test("a week's turn ends at its hand-over, and pairs take turns as people do", () => {
  const spans = rosterBetween(
    { shifts: [ALWAYS], overrides: [], absences: [] },
    new Date("2026-11-08T12:00Z"),
    new Date("2026-11-10"),
  );
  assert.deepEqual(
    spans.map(({ startsAt, users }) => [startsAt.toISOString(), users.map(({ id }) => id).join()]),
    [
      ["2026-11-08T00:00:00.000Z", "ada"],
      ["2026-11-09T00:00:00.000Z", "ada"],
      ["2026-11-09T09:00:00.000Z", "bob,cy"],
    ],
  );
  assert.deepEqual(dutiesAt(new Date("2026-11-08T12:00Z"))({ shifts: [ALWAYS], overrides: [], absences: [] }, "bob"), {
    isOn: false,
    next: new Date("2026-11-09T09:00Z"),
  });
});

test("a lower layer is on duty while nobody of a higher one is", () => {
  const above = { ...ALWAYS, id: "s2", layer: 1, startTime: "08:00", endTime: "16:00", rotation: null };
  const onDuty = (users: typeof PEOPLE, hour: string) =>
    rosterAt(
      { shifts: [ALWAYS, { ...above, users }], overrides: [], absences: [] },
      new Date(`2026-11-08T${hour}Z`),
    ).map(({ shift }) => shift.id);
  assert.deepEqual(onDuty([person("dee")], "12:00"), ["s2"]);
  assert.deepEqual(onDuty([person("dee")], "16:00"), ["s1"]);
  assert.deepEqual(onDuty([], "12:00"), ["s1", "s2"]);
});

test("an override changes the people of a shift and not its hours, and without an active taker leaves a gap", () => {
  const days: RosterShift = {
    ...ALWAYS,
    startTime: "08:00",
    endTime: "16:00",
    rotation: null,
    users: [person("ada"), person("bob")],
  };
  const [startsAt, endsAt] = [Date.parse("2026-11-08T12:00Z"), Date.parse("2026-11-08T20:00Z")];
  const onDuty = (hour: string, override: Partial<RosterOverride>) => {
    const overrides = [{ startsAt, endsAt, replaces: "ada", user: person("dee"), ...override }];
    const [span] = rosterAt({ shifts: [days], overrides, absences: [] }, new Date(`2026-11-08T${hour}Z`));
    return span?.users.map(({ id }) => id);
  };
  assert.deepEqual(onDuty("11:59", {}), ["ada", "bob"]);
  assert.deepEqual(onDuty("12:00", {}), ["dee", "bob"]);
  assert.deepEqual(onDuty("17:00", {}), undefined);
  assert.deepEqual(onDuty("12:00", { replaces: null }), ["dee"]);
  assert.deepEqual(onDuty("12:00", { user: null }), ["bob"]);
  assert.deepEqual(onDuty("12:00", { replaces: null, user: null }), []);
  assert.deepEqual(onDuty("12:00", { user: person("bob") }), ["bob"]);
});

test("an absent person is not on duty, nor for another, and leaves a gap", () => {
  const away = { userId: "ada", startsAt: Date.parse("2026-11-07T12:00Z"), endsAt: Date.parse("2026-11-07T18:00Z") };
  const onDuty = (hour: string, ...overrides: RosterOverride[]) =>
    rosterAt({ shifts: [ALWAYS], overrides, absences: [away] }, new Date(`2026-11-07T${hour}Z`)).map(({ users }) =>
      users.map(({ id }) => id),
    );
  assert.deepEqual([onDuty("11:59"), onDuty("12:00"), onDuty("18:00")], [[["ada"]], [[]], [["ada"]]]);
  const times = { startsAt: 0, endsAt: away.endsAt };
  assert.deepEqual(onDuty("12:00", { ...times, replaces: "ada", user: person("bob") }), [["bob"]]);
  assert.deepEqual(onDuty("12:00", { ...times, replaces: null, user: person("ada") }), [[]]);
});
