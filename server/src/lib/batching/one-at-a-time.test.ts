import assert from "node:assert/strict";
import { test } from "node:test";
import { OneAtATime } from "./one-at-a-time.ts";

test("work of one key runs in order, one at a time, and other keys do not wait for it", async () => {
  const turns = new OneAtATime();
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const start = (key: string, name: string, ends: Promise<string>) =>
    turns.run(key, () => {
      begun.push(name);
      return ends;
    });
  const answers = [
    start("a", "first", first.promise),
    start("a", "second", Promise.resolve("2")),
    start("b", "other", Promise.resolve("3")),
  ];
  assert.equal(await answers[2], "3");
  assert.deepEqual(begun, ["first", "other"]);
  first.resolve("1");
  assert.deepEqual(await Promise.all(answers), ["1", "2", "3"]);
  assert.deepEqual(begun, ["first", "other", "second"]);
});

test("the failure of one call rejects it alone", async () => {
  const turns = new OneAtATime();
  const failed = turns.run("a", () => Promise.reject(new Error("no")));
  const next = turns.run("a", async () => "yes");
  await assert.rejects(failed, /no/);
  assert.equal(await next, "yes");
});
