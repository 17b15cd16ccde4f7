import assert from "node:assert/strict";
import { test } from "node:test";
import { countdown, describeDistance, duration, reading, timeTicks, utcTime } from "./format.ts";

test("a countdown has hours only where there are any, and ends at zero", () => {
  assert.deepEqual([65_000, 7_209_000, 400, 0, -5_000].map(countdown), ["1:05", "2:00:09", "0:01", "0:00", "0:00"]);
});

test("a distance is named in its largest unit, in both directions", () => {
  assert.match(describeDistance(-3 * 60_000), /3 ?m/);
  assert.match(describeDistance(2 * 86_400_000), /2 ?d/);
  assert.match(describeDistance(-1_000), /1 ?s/);
  assert.match(describeDistance(400 * 86_400_000), /400 days/);
  assert.match(describeDistance(7_299 * 86_400_000), /20 years/);
});

test("what has just begun has its whole length left, and no age is rounded up", () => {
  assert.match(describeDistance(365 * 86_400_000 - 5_000), /365 ?d/);
  assert.match(describeDistance(-(2 * 86_400_000 - 5_000)), /\b1 ?d|yesterday/);
});

test("a length of time is named in the unit that people count it in", () => {
  assert.deepEqual([2, 90, 720, 10_800].map(duration), ["2 seconds", "1.5 minutes", "12 minutes", "3 hours"]);
  const days = [1, 7, 30.5, 365, 730].map((each) => duration(each * 86_400));
  assert.deepEqual(days, ["24 hours", "7 days", "30.5 days", "1 year", "2 years"]);
});

test("an instant is shown in UTC to the second", () => {
  assert.equal(utcTime("2026-11-20T10:05:00.123Z"), "2026-11-20 10:05:00 UTC");
});

test("readings keep what matters", () => {
  assert.deepEqual([reading(21.123456789), reading(true), reading("on")], ["21.1235", "true", "on"]);
});

test("an axis names the day where one begins, seconds where they differ, and only days over weeks", () => {
  const evening = new Date(2026, 10, 20, 23, 30).getTime() / 1000;
  const halfHours = timeTicks([evening, evening + 1800, evening + 3600]);
  assert.deepEqual(
    halfHours.map((label) => label.split("\n").length),
    [2, 2, 1],
  );
  assert.match(halfHours[0]!, /30.*\n.*20/);
  assert.match(halfHours[1]!, /00.*\n.*21/);
  assert.match(timeTicks([evening, evening + 15])[1]!, /30.15/);
  assert.ok(timeTicks([evening, evening + 86_400]).every((label) => !label.includes(":")));
});
