import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeviceRule, DeviceRules } from "./device-rules.ts";
import { evaluateBatch } from "./evaluate-batch.ts";
import { compileRule } from "./evaluate-rule.ts";
import { checkRule } from "./rule.ts";

function deviceWithRules(count: number): DeviceRules {
  const rule = checkRule({ metric: "a", operator: "gt", value: 90, severity: "major" }, "rule", "rules.0");
  const compiled = compileRule(rule);
  const rules = Array.from(
    { length: count },
    (): DeviceRule => ({
      thresholdId: "pack",
      revision: 1,
      rule,
      compiled,
      state: { phase: "ok", since: 0 },
      transition: undefined,
    }),
  );
  const metric = { newest: Number.NEGATIVE_INFINITY, rules };
  return { uid: "d", version: 0, silent: false, metrics: new Map([["a", metric]]) };
}

test("the event loop gets turns while thousands of rules evaluate one message, and the result is complete", async () => {
  const readings = Array.from({ length: 1_000 }, (_, time) => ({
    time,
    timeReplaced: false,
    metrics: ["a"],
    values: [time % 2 === 0 ? 99 : 1],
  }));
  const message = { tenantId: "t", deviceUid: "d", receivedAt: 0, readings, rejected: undefined };
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const transitions = await evaluateBatch(new Map([["d", deviceWithRules(5_000)]]), [message]);
  isDone = true;
  assert.ok(turns >= 150, `${turns} turns`);
  assert.equal(transitions.rules.length, 5_000);
  for (const { transient, open } of transitions.rules) {
    assert.deepEqual([transient, open], [{ value: 99, occurrences: 500, isNew: true }, undefined]);
  }
});
