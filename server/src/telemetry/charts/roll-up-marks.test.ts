import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR, MINUTE } from "../../lib/clock.ts";
import { type PreparedMessage, toColumns } from "../ingest/batch.ts";
import { createMarkedHours, type Marks } from "./roll-up-marks.ts";

/** Half past the thousandth hour. */
const NOW = 1000.5 * HOUR;

function columnsOf(...sent: [deviceUid: string, ms: number][]) {
  const messages = sent.map(([deviceUid, ms]): PreparedMessage => {
    const reading = { time: ms * 1000, timeReplaced: false, metrics: ["a", "b"], values: [1, 2] };
    return { tenantId: "t", deviceUid, receivedAt: ms * 1000, readings: [reading], rejected: undefined };
  });
  return toColumns(messages);
}

const listed = ({ deviceUids, hours }: Marks) => deviceUids.map((uid, index) => `${uid} ${hours[index]}`);

test("every hour of every device is marked once a batch", () => {
  const hours = createMarkedHours();
  const columns = columnsOf(["d", NOW], ["e", NOW], ["d", NOW - 2 * HOUR], ["d", NOW + 1], ["d", NOW - 2 * HOUR - 1]);
  assert.deepEqual(listed(hours.due(columns, [], NOW).marks), ["d 1000", "d 998", "e 1000"]);
});

test("the hour under way is marked once a device, one that is over by every batch", () => {
  const hours = createMarkedHours();
  const columns = columnsOf(["d", NOW], ["d", NOW - HOUR]);
  const first = hours.due(columns, [], NOW);
  assert.deepEqual(
    listed(hours.due(columns, [], NOW).marks),
    ["d 1000", "d 999"],
    "a batch that was not stored marks nothing",
  );
  assert.equal(first.stored(NOW), undefined);
  assert.deepEqual(listed(hours.due(columns, [], NOW + MINUTE).marks), ["d 999"]);
  assert.deepEqual(listed(hours.due(columns, [], NOW + HOUR).marks), ["d 1000", "d 999"]);
});

test("a batch that was under way until its hour was long over marks it after all", () => {
  const hours = createMarkedHours();
  const columns = columnsOf(["d", NOW]);
  hours.due(columns, [], NOW).stored(NOW);
  assert.equal(hours.due(columns, [], NOW).stored(1001 * HOUR + MINUTE - 1), undefined);
  hours.due(columns, [], NOW).stored(NOW);
  const late = hours.due(columns, [], NOW);
  assert.deepEqual(listed(late.marks), []);
  assert.deepEqual(listed(late.stored(1001 * HOUR + MINUTE)!), ["d 1000"]);
});

test("a reading that is not kept marks nothing", () => {
  const columns = columnsOf(["d", NOW]);
  assert.deepEqual(listed(createMarkedHours().due(columns, [0, 0], NOW).marks), []);
});
