import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeviceRule, DeviceRules } from "./device-rules.ts";
import { evaluateBatch } from "./evaluate-batch.ts";
import { compileRule } from "./evaluate-rule.ts";
import { checkRule, ruleFor } from "./rule.ts";

function deviceWithRules(count: number): DeviceRules {
  const rule = ruleFor(checkRule({ metric: "a", operator: "gt", value: 90, severity: "major" }, "rule", "rules.0"), {});
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
  const metric = { newest: Number.NEGATIVE_INFINITY, value: undefined, rules };
  return { uid: "d", version: 0, silent: false, metrics: new Map([["a", metric]]), derived: undefined };
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

const SECOND = 1_000_000;

/** Evaluates messages of `[seconds, value]` on a device with one rule (above 90), and returns what came of them. */
async function effects(device: DeviceRules, ...messages: [time: number, value: number][][]) {
  const batch = messages.map((readings) => ({
    tenantId: "t",
    deviceUid: "d",
    receivedAt: 0,
    readings: readings.map(([time, value]) => {
      return { time: time * SECOND, timeReplaced: false, metrics: ["other", "a"], values: [99, value] };
    }),
    rejected: undefined,
  }));
  const { rules, silenceEnded } = await evaluateBatch(new Map([["d", device]]), batch);
  const shown = rules.map(({ before, open, resolved, transient }) => {
    return { before: before.phase, open, resolved, transient };
  });
  return { rules: shown, silenceEnded };
}

const none = { open: undefined, resolved: undefined, transient: undefined };

test("an anomaly opens in one batch, continues in the next and is resolved in a third", async () => {
  const device = deviceWithRules(1);
  const opened = await effects(device, [
    [1, 91],
    [2, 92],
  ]);
  assert.deepEqual(opened.rules, [{ ...none, before: "ok", open: { value: 92, occurrences: 2, isNew: true } }]);
  const continued = await effects(device, [[3, 93]]);
  assert.deepEqual(continued.rules, [{ ...none, before: "open", open: { value: 93, occurrences: 1, isNew: false } }]);
  const resolved = await effects(
    device,
    [
      [4, 94],
      [5, 1],
    ],
    [[6, 2]],
  );
  assert.deepEqual(resolved.rules, [
    { ...none, before: "open", resolved: { value: 94, occurrences: 1, isNew: false } },
  ]);
  assert.deepEqual((await effects(device, [[7, 3]])).rules, [], "a good value changes nothing");
});

test("an anomaly that is resolved and opens again within a batch is one of each", async () => {
  const device = deviceWithRules(1);
  await effects(device, [[1, 91]]);
  const { rules } = await effects(device, [
    [2, 1],
    [3, 95],
    [4, 1],
    [5, 96],
  ]);
  assert.deepEqual(rules, [
    {
      before: "open",
      resolved: { value: undefined, occurrences: 0, isNew: false },
      transient: { value: 95, occurrences: 1, isNew: true },
      open: { value: 96, occurrences: 1, isNew: true },
    },
  ]);
});

test("readings of a message are evaluated by time; late and repeated ones change nothing", async () => {
  const device = deviceWithRules(1);
  const { rules } = await effects(device, [
    [3, 1],
    [1, 91],
    [2, 92],
  ]);
  assert.deepEqual(rules[0]!.transient, { value: 92, occurrences: 2, isNew: true });
  assert.deepEqual((await effects(device, [[2, 99]], [[3, 99]])).rules, []);
  assert.equal(device.metrics.get("a")!.newest, 3 * SECOND);
  const descending = await effects(deviceWithRules(1), [
    [2, 92],
    [1, 91],
  ]);
  assert.equal(descending.rules[0]!.open!.occurrences, 2);
});

test("the first message of a silent device ends its silence, once, also of a device without rules", async () => {
  const device = { ...deviceWithRules(0), silent: true, metrics: new Map() };
  assert.deepEqual(await effects(device, [[1, 1]], [[2, 2]]), { rules: [], silenceEnded: ["d"] });
  assert.deepEqual(await evaluateBatch(new Map(), [{ deviceUid: "unknown", readings: [] } as never]), {
    rules: [],
    silenceEnded: [],
  });
});

test("a pending and a clearing rule are changes of state without an anomaly of their own", async () => {
  const device = deviceWithRules(1);
  const [rule] = device.metrics.get("a")!.rules as [DeviceRule];
  const input = {
    metric: "a",
    operator: "gt",
    value: 90,
    severity: "major",
    forSeconds: 2,
    clearForSeconds: 2,
  } as const;
  Object.assign(rule, { compiled: compileRule(ruleFor(checkRule(input, "rule", "rules.0"), {})) });
  assert.deepEqual((await effects(device, [[1, 91]])).rules, [{ ...none, before: "ok" }]);
  assert.deepEqual((await effects(device, [[2, 91]])).rules, [], "still pending");
  assert.equal((await effects(device, [[3, 91]])).rules[0]!.before, "pending");
  const clearing = await effects(device, [[4, 1]]);
  assert.deepEqual(clearing.rules, [
    { ...none, before: "open", open: { value: undefined, occurrences: 0, isNew: false } },
  ]);
  const { rules } = await effects(device, [[6, 1]]);
  assert.deepEqual(rules, [
    { ...none, before: "clearing", resolved: { value: undefined, occurrences: 0, isNew: false } },
  ]);
});
