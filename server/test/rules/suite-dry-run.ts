import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NewRule } from "../../src/rules/rules.ts";
import { anyMessages, anyRule } from "../../src/rules/test-support/any-telemetry.ts";
import { referenceAnomalies, type SentReading } from "../../src/rules/test-support/reference-evaluator.ts";
import { type Environment, HOT, NOWHERE } from "./environment.ts";
import { newSender, packOf, payloadOf, type Sender } from "./sender.ts";

const HOUR = 3_600_000;

/** Dry runs of rules over stored telemetry. */
export function dryRunRules(given: () => Environment): void {
  const period = ({ server }: Environment) => {
    const now = server.clock.now().getTime();
    return { from: new Date(now - HOUR), to: new Date(now) };
  };
  /** Stores temperatures from the beginning of the period on, at intervals of this many milliseconds. */
  const series = async (env: Environment, sender: Sender, temperatures: number[], apart = 1_000) => {
    const start = period(env).from.getTime();
    const readings = temperatures.map((temperature, n) => ({ ts: start + n * apart, values: { temperature } }));
    for (let sent = 0; sent < readings.length; sent += 1_000) await sender.send([readings.slice(sent, sent + 1_000)]);
  };

  test("a dry run over stored telemetry lists the anomalies that the rules would have opened, and opens none", async () => {
    const env = given();
    const { rules: packs } = env.server.app;
    const sender = await newSender(env);
    await series(env, sender, [20, 91, 92, 20, 20, 95]);
    const { from, to } = period(env);
    const rules = [
      { ...HOT, forSeconds: 1, clearForSeconds: 1 },
      { ...HOT, severity: "minor" as const, message: "Warm" },
    ];
    const run = await packs.dryRun(env.tenant.caller, { rules, deviceId: sender.id, from, to });
    const at = (second: number) => new Date(from.getTime() + second * 1000);
    const found = { deviceId: sender.id, metric: "temperature", limit: 90 };
    const hot = { ...found, rule: 0, severity: "major", message: "temperature is above 90" };
    const warm = { ...found, rule: 1, severity: "minor", message: "Warm" };
    assert.deepEqual(run, {
      devices: 1,
      readings: 6,
      cut: false,
      anomalies: [
        { ...warm, value: 92, openedAt: at(1), lastObservedAt: at(2), occurrences: 2, resolvedAt: at(3) },
        { ...hot, value: 92, openedAt: at(2), lastObservedAt: at(2), occurrences: 1, resolvedAt: at(4) },
        { ...warm, value: 95, openedAt: at(5), lastObservedAt: at(5), occurrences: 1, resolvedAt: null },
      ],
    });
    assert.deepEqual(await sender.anomalies(), []);
    const shorter = await packs.dryRun(env.tenant.caller, {
      rules,
      deviceId: sender.id,
      from: at(2),
      to: at(5),
    });
    assert.deepEqual([shorter.readings, shorter.anomalies.length], [3, 1]);
  });

  test("a dry run evaluates an existing pack over all devices of a type", async () => {
    const env = given();
    const { devices, rules: packs } = env.server.app;
    const { caller } = env.tenant;
    const type = await devices.createDeviceType(caller, { name: "Many", publishTopics: [] });
    const pack = await packOf(env, HOT);
    for (const temperature of [20, 91, 92]) {
      const sender = await newSender(env);
      await sender.assign([], type.id);
      await series(env, sender, [temperature]);
    }
    const run = await packs.dryRun(caller, { thresholdId: pack.id, deviceTypeId: type.id, ...period(env) });
    assert.deepEqual([run.devices, run.readings, run.anomalies.length, run.cut], [3, 3, 2, false]);
    const operator = { ...caller, rights: { kind: "user" as const, userId: NOWHERE, role: "operator" as const } };
    const unseen = await packs.dryRun(operator, { thresholdId: pack.id, deviceTypeId: type.id, ...period(env) });
    assert.deepEqual([unseen.devices, unseen.anomalies], [0, []]);
  });

  test("a dry run that reaches a limit reports that it was truncated", async () => {
    const env = given();
    const { rules: packs } = env.server.app;
    const sender = await newSender(env);
    const swinging = Array.from({ length: 10_500 }, (_, n) => (n % 10 < 5 ? 20 : 91));
    await series(env, sender, swinging, 250);
    const ask = { deviceId: sender.id, ...period(env) };
    const run = await packs.dryRun(env.tenant.caller, { ...ask, rules: [HOT] });
    assert.deepEqual([run.anomalies.length, run.cut], [1_000, true]);
    const rare = await packs.dryRun(env.tenant.caller, { ...ask, rules: [{ ...HOT, value: 95 }] });
    assert.deepEqual([rare.readings, rare.anomalies, rare.cut], [10_500, [], false]);
  });

  test("a dry run over all of time measures ages at each message and averages of each hour", async () => {
    const env = given();
    const sender = await newSender(env);
    const start = period(env).from.getTime();
    const sent = [0, 30, 61, 62, 200].map((second) => {
      const metrics = second === 0 || second === 62 ? { temperature: 20 } : { pressure: second };
      return { ts: start + second * 1_000, values: metrics };
    });
    await sender.send([sent]);
    const rules = [
      { ...HOT, value: 60, measure: { kind: "age" as const } },
      { ...HOT, value: 3, measure: { kind: "deviation" as const, days: 30 } },
    ];
    const ask = { rules, deviceId: sender.id, from: new Date(-1e14), to: new Date(1e14) };
    const run = await env.server.app.rules.dryRun(env.tenant.caller, ask);
    const seconds = (time: Date | null) => time && (time.getTime() - start) / 1_000;
    assert.deepEqual(
      run.anomalies.map(({ value, openedAt, resolvedAt }) => [value, seconds(openedAt), seconds(resolvedAt)]),
      [
        [61, 61, 62],
        [138, 200, null],
      ],
    );
    assert.deepEqual([run.readings, run.cut], [5, false]);
  });

  test("a dry run refuses requests without rules, devices or period", async () => {
    const env = given();
    const { rules: packs } = env.server.app;
    const { id: deviceId } = await newSender(env);
    const pack = await packOf(env, HOT);
    const foreign = await env.newPack(env.otherTenant);
    const good = { thresholdId: pack.id, deviceId, ...period(env) };
    const cases: [object, string, string | undefined][] = [
      [{ thresholdId: foreign.id }, "not_found", undefined],
      [{ deviceId: "nobody" }, "not_found", undefined],
      [{ deviceId: "a b" }, "not_found", undefined],
      [{ deviceTypeId: NOWHERE }, "invalid_request", "deviceId"],
      [{ rules: [HOT] }, "invalid_request", "thresholdId"],
      [{ thresholdId: undefined, rules: [{ ...HOT, value: "x" }] }, "invalid_request", "rules.0.value"],
      [{ to: good.from }, "invalid_request", "from"],
    ];
    for (const [over, code, detail] of cases) {
      const refusal = detail === undefined ? { code } : { code, detail };
      await assert.rejects(packs.dryRun(env.tenant.caller, { ...good, ...over }), refusal, JSON.stringify(over));
    }
  });

  test("a dry run over stored telemetry finds the anomalies of the reference evaluator", async () => {
    const env = given();
    const base = env.server.clock.now().getTime() - HOUR;
    await fc.assert(
      fc.asyncProperty(fc.array(anyRule(""), { minLength: 1, maxLength: 3 }), anyMessages, async (rules, messages) => {
        const sender = await newSender(env);
        await sender.send(messages.map((message) => payloadOf(message, base)));
        const run = await env.server.app.rules.dryRun(env.tenant.caller, {
          rules: rules as NewRule[],
          deviceId: sender.id,
          from: new Date(base),
          to: new Date(base + HOUR),
        });
        const placed = rules.map((rule, place) => ({ ...rule, id: String(place) }));
        const at = (time: number | null) => (time === null ? null : new Date(base + time / 1000));
        const expected = referenceAnomalies(placed, [stored(messages)]).map(
          ({ ruleId, openedAt, resolvedAt, occurrences, value }) => [
            Number(ruleId),
            at(openedAt),
            at(resolvedAt),
            occurrences,
            value,
          ],
        );
        const found = run.anomalies
          .toSorted((a, b) => a.rule - b.rule)
          .map((a) => [a.rule, a.openedAt, a.resolvedAt, a.occurrences, a.value]);
        assert.deepEqual(found, expected);
      }),
      { numRuns: 15 },
    );
  });
}

/** When several readings of a metric share a timestamp, the last one is stored. */
function stored(messages: readonly (readonly SentReading[])[]): SentReading[] {
  return [...new Map(messages.flat().map((said) => [`${said.metric} ${said.time}`, said])).values()];
}
