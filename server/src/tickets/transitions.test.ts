import assert from "node:assert/strict";
import { test } from "node:test";
import { invalidTransition } from "./errors.ts";
import { isUnfinished, movesFrom, TICKET_STATUSES, timesAfter } from "./transitions.ts";

test("exactly ten of the twenty moves between two statuses are allowed", () => {
  const moves = TICKET_STATUSES.flatMap((from) => movesFrom(from).map((to) => `${from} → ${to}`));
  assert.deepEqual(moves, [
    "open → in_progress",
    "open → cancelled",
    "in_progress → on_hold",
    "in_progress → completed",
    "in_progress → cancelled",
    "on_hold → in_progress",
    "on_hold → completed",
    "on_hold → cancelled",
    "completed → open",
    "cancelled → open",
  ]);
});

test("a finished ticket can only be reopened, and every other one can be cancelled", () => {
  for (const status of TICKET_STATUSES) {
    if (isUnfinished(status)) assert.ok(movesFrom(status).includes("cancelled"), status);
    else assert.deepEqual(movesFrom(status), ["open"]);
  }
});

test("startedAt is set by the first in_progress, completedAt by completed; reopening clears completedAt only", () => {
  const [first, later] = [new Date(1_000), new Date(2_000)];
  let times = timesAfter({ started_at: null, completed_at: null }, "in_progress", first);
  assert.deepEqual(times, { started_at: first, completed_at: null });
  for (const status of ["on_hold", "in_progress"] as const) times = timesAfter(times, status, later);
  assert.deepEqual(times, { started_at: first, completed_at: null });
  times = timesAfter(times, "completed", later);
  assert.deepEqual(times, { started_at: first, completed_at: later });
  assert.deepEqual(timesAfter(times, "open", later), { started_at: first, completed_at: null });
});

test("the error of an invalid transition names the allowed ones", () => {
  const { message, detail, extra } = invalidTransition("in_progress", "open");
  assert.equal(message, "A ticket that is in_progress can become on_hold or completed or cancelled, not open.");
  assert.deepEqual([detail, extra], ["open", { allowed: ["on_hold", "completed", "cancelled"] }]);
});
