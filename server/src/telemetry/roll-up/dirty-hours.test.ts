import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR, MINUTE } from "../../lib/clock.ts";
import { createDirtyHourTracker, type DirtyHours } from "./dirty-hours.ts";

/** Half past the thousandth hour. */
const NOW = 1000.5 * HOUR;

/** Returns rows sorted by device. */
function rowsOf(...sent: [deviceUid: string, ms: number][]) {
  const rows = sent.map(([deviceUid, ms]) => ({ deviceUid, time: ms * 1000 }));
  return rows.sort((a, b) => a.deviceUid.localeCompare(b.deviceUid));
}

const listed = ({ deviceUids, hours }: DirtyHours) => deviceUids.map((uid, index) => `${uid} ${hours[index]}`);

test("a batch marks every hour of every device once", () => {
  const tracker = createDirtyHourTracker();
  const rows = rowsOf(["d", NOW], ["e", NOW], ["d", NOW - 2 * HOUR], ["d", NOW + 1], ["d", NOW - 2 * HOUR - 1]);
  assert.deepEqual(listed(tracker.select(rows, [], NOW).toMark), ["d 1000", "d 998", "e 1000"]);
});

test("the current hour is marked once per device, an hour that has ended by every batch", () => {
  const tracker = createDirtyHourTracker();
  const rows = rowsOf(["d", NOW], ["d", NOW - HOUR]);
  const first = tracker.select(rows, [], NOW);
  assert.deepEqual(
    listed(tracker.select(rows, [], NOW).toMark),
    ["d 1000", "d 999"],
    "a batch that was not stored has marked nothing",
  );
  assert.equal(first.confirm(NOW), undefined);
  assert.deepEqual(listed(tracker.select(rows, [], NOW + MINUTE).toMark), ["d 999"]);
  assert.deepEqual(listed(tracker.select(rows, [], NOW + HOUR).toMark), ["d 1000", "d 999"]);
});

test("a batch marks a skipped hour if it is stored so late that the hour may have been computed", () => {
  const tracker = createDirtyHourTracker();
  const rows = rowsOf(["d", NOW]);
  tracker.select(rows, [], NOW).confirm(NOW);
  assert.equal(tracker.select(rows, [], NOW).confirm(1001 * HOUR + MINUTE - 1), undefined);
  tracker.select(rows, [], NOW).confirm(NOW);
  const late = tracker.select(rows, [], NOW);
  assert.deepEqual(listed(late.toMark), []);
  assert.deepEqual(listed(late.confirm(1001 * HOUR + MINUTE)!), ["d 1000"]);
});

test("a reading past its retention marks nothing", () => {
  const rows = rowsOf(["d", NOW]);
  assert.deepEqual(listed(createDirtyHourTracker().select(rows, [0], NOW).toMark), []);
});
