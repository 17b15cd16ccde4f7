import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NewRule } from "../../src/rules/rules.ts";
import { anyDerivedRule } from "../../src/rules/test-support/any-derived-rule.ts";
import { anyMessages } from "../../src/rules/test-support/any-telemetry.ts";
import { derivedAnomalies } from "../../src/rules/test-support/reference-derived.ts";
import type { SentReading } from "../../src/rules/test-support/reference-evaluator.ts";
import { onPostgres } from "../harness/database/database.ts";
import type { Environment } from "./environment.ts";
import { freshTelemetry, newSender, packOf, payloadOf, type Sender } from "./sender.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const shown = ({ status, metric, value, limit, occurrences }: Record<string, unknown>) => [
  status,
  metric,
  value,
  limit,
  occurrences,
];

/** Rules that compare more than single readings of one metric with a fixed value. */
export function derivedRules(given: () => Environment): void {
  const rule = (over: Partial<NewRule>): NewRule => {
    return { metric: "pressure", operator: "gt", value: 8, severity: "major", ...over };
  };
  /** Sends one message by a process that has just started. */
  const sayAnew = (env: Environment, sender: Sender, values: object, ms: number) =>
    sender.say(values as Record<string, unknown>, ms, freshTelemetry(env));

  test("a limit is that of the device's metadata, at once after it changes, and the default without one", async () => {
    const env = given();
    const { devices } = env.server.app;
    const pack = await packOf(env, rule({ value: { metadata: "maxPressure", default: 8 } }));
    const sender = await newSender(env, pack);
    const setMetadata = (metadata: object) =>
      devices.replaceDevice(env.tenant.caller, sender.id, { name: "Pump", thresholdIds: [pack.id], metadata } as never);
    await sender.say({ pressure: 9 }, 0);
    assert.deepEqual((await sender.anomalies()).map(shown), [["open", "pressure", 9, 8, 1]]);
    await setMetadata({ maxPressure: 12 });
    await sender.say({ pressure: 9 }, 1);
    await sender.say({ pressure: 13 }, 2);
    await setMetadata({ maxPressure: "high" });
    await sender.say({ pressure: 8 }, 3);
    assert.deepEqual((await sender.anomalies()).map(shown), [
      ["resolved", "pressure", 9, 8, 1],
      ["resolved", "pressure", 13, 12, 1],
    ]);
    const [{ message }] = (await sender.anomalies()).slice(1);
    assert.equal(message, "pressure is above 12");
  });

  test("a counter's rate counts past a reset, across restarts", async () => {
    const env = given();
    const measure = { kind: "rate", overSeconds: 60, per: "minute", counter: true } as const;
    const sender = await newSender(env, await packOf(env, rule({ metric: "faults", value: 10, measure })));
    const counts = [100, 104, 108, 3, 7, 20, 35, 50, 51, 52, 53, 54, 55, 56];
    for (const [at, faults] of counts.entries()) await sayAnew(env, sender, { faults }, (at - counts.length) * 10_000);
    const found = await sender.anomalies();
    assert.deepEqual(
      found.map(({ status, message }) => [status, message]),
      [["resolved", "the change of faults per minute is above 10"]],
    );
  });

  test("a metric is missing while the device sends others, even one that it never sent", async () => {
    const env = given();
    const missing = rule({ metric: "pressure", value: 60, measure: { kind: "age" }, severity: "minor" });
    const sender = await newSender(env, await packOf(env, missing));
    await sayAnew(env, sender, { temperature: 1 }, -400_000);
    await sayAnew(env, sender, { temperature: 1 }, -340_000);
    assert.deepEqual(await sender.anomalies(), []);
    await sayAnew(env, sender, { temperature: 1 }, -339_000);
    assert.deepEqual((await sender.anomalies()).map(shown), [["open", "pressure", 61, 60, 1]]);
    await sayAnew(env, sender, { pressure: 4 }, -339_000);
    assert.deepEqual((await sender.anomalies()).map(shown), [["resolved", "pressure", 61, 60, 1]]);
    await sayAnew(env, sender, { temperature: 1 }, -278_000);
    assert.equal((await sender.anomalies()).length, 2);
  });

  test("conditions of a rule are met together though their metrics come in messages of their own", async () => {
    const env = given();
    const and = [{ metric: "valve", operator: "eq" as const, value: "open" }];
    const sender = await newSender(env, await packOf(env, rule({ and })));
    await sayAnew(env, sender, { pressure: 9 }, 0);
    await sayAnew(env, sender, { valve: "shut" }, 1_000);
    assert.deepEqual(await sender.anomalies(), []);
    await sayAnew(env, sender, { valve: "open" }, 2_000);
    await sayAnew(env, sender, { pressure: 10 }, 3_000);
    assert.deepEqual((await sender.anomalies()).map(shown), [["open", "pressure", 10, 8, 2]]);
    await sayAnew(env, sender, { valve: "shut" }, 4_000);
    const [{ status, message }] = await sender.anomalies();
    assert.deepEqual([status, message], ["resolved", 'pressure is above 8 and valve is equal to "open"']);
  });

  test("a reading is compared with the device's own average at the same hour of the last days, as in a dry run", async () => {
    const env = given();
    const deviation = rule({ value: 3, measure: { kind: "deviation", days: 2 } });
    const sender = await newSender(env, await packOf(env, deviation));
    const hour = Math.floor(env.server.clock.now().getTime() / HOUR) * HOUR - HOUR;
    const at = (ms: number, pressure: number) => ({ ts: hour + ms, values: { pressure } });
    await sender.send([at(-3 * DAY, 1_000), at(-2 * DAY, 10), at(-DAY, 19), at(-DAY + 1, 22), at(-DAY + HOUR, 500)]);
    await sender.send([at(0, 20)], freshTelemetry(env));
    assert.deepEqual(await sender.anomalies(), []);
    await sender.send([at(1_000, 20.5)], freshTelemetry(env));
    assert.deepEqual((await sender.anomalies()).map(shown), [["open", "pressure", 3.5, 3, 1]]);
    const period = { from: new Date(hour - 4 * DAY), to: new Date(hour + HOUR) };
    const { anomalies } = await env.server.app.rules.dryRun(env.tenant.caller, {
      rules: [deviation],
      deviceId: sender.id,
      ...period,
    });
    assert.deepEqual(
      anomalies.map(({ openedAt, value }) => [openedAt.getTime() - hour, value]),
      [[1_000, 3.5]],
    );
  });

  test("rules of one metric get the averages of all hours that any of them lacks", async () => {
    const env = given();
    const deviation = rule({ value: 3, measure: { kind: "deviation", days: 1 } });
    const sender = await newSender(env, await packOf(env, deviation));
    const hour = Math.floor(env.server.clock.now().getTime() / HOUR) * HOUR - 2 * HOUR;
    const at = (ms: number, pressure: number) => ({ ts: hour + ms, values: { pressure } });
    await sender.send([at(-DAY, 10), at(-DAY + HOUR, 20), at(0, 10)]);
    const packs = [await packOf(env, deviation), await packOf(env, { ...deviation, severity: "minor" })];
    await sender.assign([packs[0]!]);
    await sender.send([at(1, 11)], freshTelemetry(env));
    await sender.assign(packs);
    await sender.send([[at(2, 14), at(HOUR, 21)]], freshTelemetry(env));
    const found = (await sender.anomalies()).map(({ severity, status, value }) => [severity, status, value]);
    assert.deepEqual(found.sort(), [
      ["major", "resolved", 4],
      ["minor", "resolved", 4],
    ]);
  });

  test("a condition that no evaluation can mean is refused at its place", async () => {
    const env = given();
    const refused = async (over: Partial<NewRule>, detail: string) =>
      assert.rejects(packOf(env, rule(over)), { code: "invalid_request", detail: `rules.0.${detail}` });
    await refused({ operator: "lt", measure: { kind: "age" } }, "operator");
    await refused({ operator: "eq", measure: { kind: "deviation", days: 7 } }, "measure");
    await refused({ measure: { kind: "deviation", days: 31 } }, "measure.days");
    await refused({ measure: { kind: "change", overSeconds: 9 } }, "measure.overSeconds");
    await refused({ operator: "outside", value: { metadata: "a", default: 1 } }, "value");
    await refused({ value: { metadata: "", default: 1 } }, "value.metadata");
    await refused({ value: { metadata: "a", default: 1 }, clearValue: 2 }, "clearValue");
    await refused({ and: [rule({})], or: [rule({})] }, "or");
    await refused({ and: [rule({}), rule({ value: "x" })] }, "and.1.value");
    await refused({ or: Array.from({ length: 5 }, () => rule({})) }, "or");
  });

  test("the anomalies are those of the reference evaluator, in any processes, batches and restarts", async () => {
    const env = given();
    const { server } = env;
    const processes = { one: freshTelemetry(env), two: freshTelemetry(env) };
    const where = fc.array(fc.constantFrom("one", "two", "fresh"), { minLength: 1 });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(anyDerivedRule("", ["deviation"]), anyMessages, where, async (any, messages, by) => {
        const pack = await packOf(env, any as NewRule);
        const sender = await newSender(env, pack);
        const base = server.clock.now().getTime() - HOUR;
        const storedAt = new Map<string, string>();
        for (const [turn, message] of messages.entries()) {
          server.clock.advance(10);
          const to = by[turn % by.length]!;
          await sender.send([payloadOf(message, base)], to === "fresh" ? freshTelemetry(env) : processes[to as "one"]);
          for (const reading of message) {
            const key = keyOf(reading);
            if (!storedAt.has(key)) storedAt.set(key, server.clock.now().toISOString());
          }
        }
        const aligned = messages.map((message) => message.map((each) => ({ ...each, time: each.time + base * 1000 })));
        const expected = derivedAnomalies(pack.rules[0]!, aligned, () => null)
          .map(({ openedBy, resolvedBy, ...rest }) => {
            const at = (reading: SentReading) => storedAt.get(keyOf({ ...reading, time: reading.time - base * 1000 }))!;
            return { ...rest, openedAt: at(openedBy), resolvedAt: resolvedBy && at(resolvedBy) };
          })
          .filter(({ openedAt, resolvedAt }) => openedAt !== resolvedAt);
        found += expected.length;
        const anomalies = await sender.anomalies();
        assert.deepEqual(
          anomalies
            .map(({ occurrences, metric, value, openedAt, resolvedAt }) => {
              return { occurrences, metric, value, openedAt, resolvedAt };
            })
            .filter(({ openedAt, resolvedAt }) => openedAt !== resolvedAt),
          expected,
        );
      }),
      { numRuns: onPostgres && env.nextServer === undefined ? 40 : 12 },
    );
    assert.ok(found > 0);
  });
}

const keyOf = ({ metric, time, value }: SentReading) => `${metric} ${time} ${value}`;
