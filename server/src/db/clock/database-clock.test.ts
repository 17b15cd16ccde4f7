import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createLogger } from "../../lib/logger.ts";
import type { Database } from "../types.ts";
import { databaseClock } from "./database-clock.ts";

const EPOCH = Date.UTC(2026, 0, 1);
const RESYNC_MS = 10_000;

test("a database that answers after a minute does not set the clock, and times do not go back", async (t) => {
  mock.timers.enable({ apis: ["setInterval"] });
  t.after(() => mock.timers.reset());
  let monotonic = 0;
  let answerMs = 0;
  const machine = { now: () => new Date(0), monotonicMs: () => monotonic };
  // The database reads its clock when it continues, at the end of a pause.
  const executeQuery = async () => {
    monotonic += answerMs;
    return { rows: [{ now: new Date(EPOCH + monotonic) }] };
  };
  const database = { db: { executeQuery } } as unknown as Database;
  const clock = await databaseClock(database, machine, createLogger("silent"));
  t.after(() => clock.stop());
  const error = () => clock.now().getTime() - (EPOCH + monotonic);
  assert.ok(Math.abs(error()) <= 1);
  let latest = clock.now();
  for (const slow of [60_000, 0, 3_000, 0]) {
    answerMs = slow;
    mock.timers.tick(RESYNC_MS);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(Math.abs(error()) <= 1, `after an answer in ${slow} ms the clock is ${error()} ms off`);
    assert.ok(clock.now() >= latest);
    latest = clock.now();
  }
});
