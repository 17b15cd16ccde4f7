import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/harness/fake-clock.ts";
import { RefusedCredentials } from "./refused-credentials.ts";

test("credentials are refused for the given time, and no others are", () => {
  const clock = new FakeClock();
  const refused = new RefusedCredentials(clock);
  assert.equal(refused.millisecondsLeft("a"), 0);
  refused.add("a", 2_000);
  assert.equal(refused.millisecondsLeft("b"), 0);
  clock.advance(1_999);
  assert.equal(refused.millisecondsLeft("a"), 1);
  clock.advance(1);
  assert.equal(refused.millisecondsLeft("a"), 0);
});

test("memory for refused credentials is bounded", () => {
  const refused = new RefusedCredentials(new FakeClock());
  for (let count = 0; count <= 20_000; count++) refused.add(`key ${count}`, 1_000);
  assert.equal(refused.millisecondsLeft("key 0"), 0);
  assert.equal(refused.millisecondsLeft("key 20000"), 1_000);
});
