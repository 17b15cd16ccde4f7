import assert from "node:assert/strict";
import { test } from "node:test";
import { coalesceRuns } from "./coalesce-runs.ts";

/** Work whose runs end with a call of the returned `finish`, with an error if one is given. */
function controlled() {
  const runs: PromiseWithResolvers<void>[] = [];
  const { run, idle } = coalesceRuns(() => {
    const made = Promise.withResolvers<void>();
    runs.push(made);
    return made.promise;
  });
  return { run, idle, runs };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("calls during a run share the next run, which starts after them", async () => {
  const { run, runs } = controlled();
  const first = run();
  const [second, third] = [run(), run()];
  assert.equal(second, third);
  assert.equal(runs.length, 1);
  runs[0]!.resolve();
  await first;
  await turn();
  assert.equal(runs.length, 2);
  const fourth = run();
  runs[1]!.resolve();
  await second;
  await turn();
  assert.equal(runs.length, 3);
  runs[2]!.resolve();
  await fourth;
  assert.equal(runs.length, 3);
});

test("a run that fails rejects its own callers only; the next run still starts", async () => {
  const { run, idle, runs } = controlled();
  const [first, second] = [run(), run()];
  const end = idle();
  runs[0]!.reject(new Error("failed"));
  await assert.rejects(first, /failed/);
  await turn();
  runs[1]!.resolve();
  await Promise.all([second, end, idle()]);
});

test("a call between two runs shares the one that is about to start", async () => {
  const { run, runs } = controlled();
  const first = run();
  const second = run();
  const third = first.then(run);
  runs[0]!.resolve();
  await first;
  await turn();
  assert.equal(runs.length, 2);
  runs[1]!.resolve();
  await Promise.all([second, third]);
});
