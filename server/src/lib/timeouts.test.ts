import assert from "node:assert/strict";
import { test } from "node:test";
import { untilAborted, withTimeout } from "./timeouts.ts";

const never = new Promise<string>(() => undefined);
const LONG = 60_000;

test("work that ends in time settles unchanged, and leaves no timer behind", async () => {
  const unused = () => assert.fail("the timeout was used");
  assert.equal(await withTimeout(Promise.resolve("done"), LONG, unused), "done");
  await assert.rejects(withTimeout(Promise.reject(new Error("failed")), LONG, unused), /failed/);
});

test("work that takes too long settles as the timeout does: with a value, an error or a promise", async () => {
  assert.equal(await withTimeout(never, 1, () => "late"), "late");
  assert.equal(await withTimeout(never, 1, async () => "later"), "later");
  const error = () => {
    throw new Error("too late");
  };
  await assert.rejects(withTimeout(never, 1, error), /too late/);
});

test("the timeout may speed up the work and wait for it", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const hurried = withTimeout(promise, 1, () => {
    resolve("hurried");
    return promise;
  });
  assert.equal(await hurried, "hurried");
});

test("work that fails after its timeout causes no unhandled rejection", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  assert.equal(await withTimeout(promise, 1, () => "late"), "late");
  reject(new Error("afterwards"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("an aborted signal rejects with its reason, before or during the work", async () => {
  const controller = new AbortController();
  assert.equal(await untilAborted(Promise.resolve("done"), controller.signal), "done");
  const waiting = untilAborted(never, controller.signal);
  controller.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
  await assert.rejects(untilAborted(never, controller.signal), /stopped/);
});
