import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../db/types.ts";
import { records } from "../lib/limits/records.ts";
import { oneLongSearch, oneStep } from "./long-searches.ts";

const database = () => ({}) as Db;

/** Returns a search that runs until the test ends it. */
function startable() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const search = { started: false, end: resolve, fail: reject };
  const run = () => {
    search.started = true;
    return promise;
  };
  return { search, run };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a tenant's searches run one after the other, in parallel with those of other tenants", async () => {
  const db = database();
  const [one, two, other] = [startable(), startable(), startable()];
  const first = oneLongSearch(db, "a", one.run);
  const second = oneLongSearch(db, "a", two.run);
  const beside = oneLongSearch(db, "b", other.run);
  await turn();
  assert.deepEqual([one.search.started, two.search.started, other.search.started], [true, false, true]);
  other.search.end("c");
  assert.equal(await beside, "c");
  one.search.fail(new Error("broken"));
  await assert.rejects(first, /broken/);
  await turn();
  assert.ok(two.search.started, "a search that fails does not block the next one");
  two.search.end("d");
  assert.equal(await second, "d");
});

test("searches beyond the waiting limit are refused with Retry-After, and admitted again afterwards", async () => {
  const db = database();
  const searches = Array.from({ length: records.waitingSearches.value + 1 }, startable);
  const running = searches.map(({ run }) => oneLongSearch(db, "a", run));
  await assert.rejects(
    oneLongSearch(db, "a", async () => assert.fail("it ran")),
    { code: "rate_limited", extra: { retryAfterSeconds: 1 } },
  );
  for (const { search } of searches) search.end("x");
  await Promise.all(running);
  assert.equal(await oneLongSearch(db, "a", async () => "y"), "y");
});

test("a tenant's steps run one after the other, even after a failure, in parallel with other tenants' steps", async () => {
  const db = database();
  const [one, two, other] = [startable(), startable(), startable()];
  const first = oneStep(db, "a", one.run);
  const second = oneStep(db, "a", two.run);
  const beside = oneStep(db, "b", other.run);
  await turn();
  assert.deepEqual([one.search.started, two.search.started, other.search.started], [true, false, true]);
  one.search.fail(new Error("broken"));
  await assert.rejects(first, /broken/);
  await turn();
  assert.ok(two.search.started);
  for (const { search } of [two, other]) search.end("x");
  assert.deepEqual(await Promise.all([second, beside]), ["x", "x"]);
});
