import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../api/problem.ts";
import { type BulkOutcome, PART, type Progress, runInParts } from "./run-in-parts.ts";

const ids = Array.from({ length: 120 }, (_, at) => `pump-${at}`);
const busy = new Problem(429, { error: "rate_limited", message: "busy" }, 3);
const down = new Problem(500, { error: "internal_error", message: "Internal error." });

function answer(part: readonly string[], outcomeOf: (id: string) => "done" | "refused" | "not_tried"): BulkOutcome {
  const items = part.map((id) => ({ id, outcome: outcomeOf(id), error: null, message: null }));
  return { done: 0, refused: 0, notTried: 0, items };
}

function start(send: (part: string[]) => Promise<BulkOutcome>, stopped: () => boolean = () => false) {
  const [progress, waits]: [Progress[], number[]] = [[], []];
  const wait = async (seconds: number) => void waits.push(seconds);
  const result = runInParts(ids, { send, stopped, wait, onProgress: (now) => void progress.push(now) });
  return { progress, waits, result };
}

test("parts follow one another, and the outcome names every device in the order asked for", async () => {
  const parts: number[] = [];
  const { progress, result } = start(async (part) => {
    parts.push(part.length);
    return answer(part, (id) => (id === "pump-7" ? "refused" : "done"));
  });
  const outcome = await result;
  assert.deepEqual(parts, [PART, PART, 20]);
  assert.deepEqual([outcome.done, outcome.refused, outcome.notTried], [119, 1, 0]);
  assert.deepEqual(
    outcome.items.map(({ id }) => id),
    ids,
  );
  assert.deepEqual(progress.at(-1), { done: 119, refused: 1, total: 120 });
});

test("devices that the service had no time for are sent again, and a busy service is waited for", async () => {
  let requests = 0;
  const { waits, result } = start(async (part) => {
    requests++;
    if (requests === 2) throw busy;
    return answer(part, (id) => (requests === 1 && id > "pump-3" ? "not_tried" : "done"));
  });
  assert.equal((await result).done, 120);
  assert.deepEqual(waits, [3]);
});

test("what is left when a part fails, or the user stops, was not tried; a first part that fails changes nothing", async () => {
  let requests = 0;
  const failing = start(async (part) => {
    if (++requests === 2) throw down;
    return answer(part, () => "done");
  });
  const outcome = await failing.result;
  assert.deepEqual([outcome.done, outcome.notTried, outcome.items.at(-1)!.error], [50, 70, "internal_error"]);
  let stop = false;
  const stopped = start(
    async (part) => {
      stop = true;
      return answer(part, () => "done");
    },
    () => stop,
  );
  assert.deepEqual((await stopped.result).notTried, 70);
  await assert.rejects(start(async () => Promise.reject(down)).result, down);
});
