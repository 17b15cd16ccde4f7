import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR, MINUTE } from "../../lib/clock.ts";
import { type PreparedMessage, toColumns } from "../ingest/batch.ts";
import { createDirtyHourTracker, type DirtyHours } from "./dirty-hours.ts";

/** Half past the thousandth hour. */
const NOW = 1000.5 * HOUR;

function columnsOf(...sent: [deviceUid: string, ms: number][]) {
  const messages = sent.map(([deviceUid, ms]): PreparedMessage => {
    const reading = { time: ms * 1000, timeReplaced: false, metrics: ["a", "b"], values: [1, 2] };
    return { tenantId: "t", deviceUid, receivedAt: ms * 1000, readings: [reading], rejected: undefined };
  });
  return toColumns(messages);
}

const listed = ({ deviceUids, hours }: DirtyHours) => deviceUids.map((uid, index) => `${uid} ${hours[index]}`);

test("a batch marks every hour of every device once", () => {
  const tracker = createDirtyHourTracker();
  const columns = columnsOf(["d", NOW], ["e", NOW], ["d", NOW - 2 * HOUR], ["d", NOW + 1], ["d", NOW - 2 * HOUR - 1]);
  assert.deepEqual(listed(tracker.select(columns, [], NOW).toMark), ["d 1000", "d 998", "e 1000"]);
});

test("the current hour is marked once per device, an hour that has ended by every batch", () => {
  const tracker = createDirtyHourTracker();
  const columns = columnsOf(["d", NOW], ["d", NOW - HOUR]);
  const first = tracker.select(columns, [], NOW);
  assert.deepEqual(
    listed(tracker.select(columns, [], NOW).toMark),
    ["d 1000", "d 999"],
    "a batch that was not stored has marked nothing",
  );
  assert.equal(first.confirm(NOW), undefined);
  assert.deepEqual(listed(tracker.select(columns, [], NOW + MINUTE).toMark), ["d 999"]);
  assert.deepEqual(listed(tracker.select(columns, [], NOW + HOUR).toMark), ["d 1000", "d 999"]);
});

test("a batch stored after a skipped hour may have been computed marks that hour", () => {
  const tracker = createDirtyHourTracker();
  const columns = columnsOf(["d", NOW]);
  tracker.select(columns, [], NOW).confirm(NOW);
  assert.equal(tracker.select(columns, [], NOW).confirm(1001 * HOUR + MINUTE - 1), undefined);
  tracker.select(columns, [], NOW).confirm(NOW);
  const late = tracker.select(columns, [], NOW);
  assert.deepEqual(listed(late.toMark), []);
  assert.deepEqual(listed(late.confirm(1001 * HOUR + MINUTE)!), ["d 1000"]);
});

test("a reading past its retention marks nothing", () => {
  const columns = columnsOf(["d", NOW]);
  assert.deepEqual(listed(createDirtyHourTracker().select(columns, [0, 0], NOW).toMark), []);
});
