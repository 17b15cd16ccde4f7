import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewRule, Rule, RuleChange, ThresholdPack } from "../../src/rules/rules.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { type Environment, HOT } from "./environment.ts";
import {
  freshTelemetry,
  newSender,
  newSenderOfTwoRules,
  packOf,
  resolution,
  storedStates,
  unevaluated,
} from "./sender.ts";

/** Changes, disabling and deletion of packs while devices send. */
export function packChangeRules(given: () => Environment): void {
  test("disabling or changing a pack resolves the anomalies of its former rules, and it evaluates by its new ones", async () => {
    const env = given();
    const { caller } = env.tenant;
    const { rules: packs } = env.server.app;
    const sender = await newSenderOfTwoRules(env);
    await sender.say({ temperature: 99, pressure: 9 });
    const [{ thresholdId, openedAt }] = await sender.anomalies();
    env.server.clock.advance(1_000);
    const { rules } = await packs.updateThreshold(caller, thresholdId, { name: "Other", description: "words" });
    assert.deepEqual((await sender.anomalies()).map(resolution), [["open", null, null]]);
    await packs.updateThreshold(caller, thresholdId, { rules: [rules[1]!, { ...rules[0]!, value: 95 }] });
    const [first] = await sender.anomalies();
    assert.deepEqual(resolution(first), unevaluated("its rule was changed"));
    assert.ok(first.resolvedAt > openedAt, "at the time of the change");
    assert.deepEqual(await storedStates(env, sender.uid), ["pending"], "the other rule stays pending");
    await sender.say({ temperature: 94, pressure: 9 }, 60_000);
    assert.deepEqual(
      (await sender.anomalies()).map(({ metric }) => metric),
      ["temperature", "pressure"],
    );
    await packs.updateThreshold(caller, thresholdId, { enabled: false });
    assert.deepEqual(resolution((await sender.anomalies())[1]), unevaluated("its threshold pack was disabled"));
    await sender.say({ pressure: 9 }, 120_000);
    assert.equal((await sender.anomalies()).length, 2);
    await packs.updateThreshold(caller, thresholdId, { enabled: true });
    await sender.say({ temperature: 96, pressure: 9 }, 130_000, freshTelemetry(env));
    assert.deepEqual(
      (await sender.anomalies()).slice(2).map(({ limit }) => limit),
      [95],
    );
    assert.deepEqual(await storedStates(env, sender.uid), ["pending"], "it is pending from now");
  });

  test("a rule that evaluates as before keeps its id and anomaly, whatever else changes in its pack", async () => {
    const env = given();
    const { caller } = env.tenant;
    const { rules: packs } = env.server.app;
    const sender = await newSenderOfTwoRules(env);
    await sender.say({ temperature: 99, pressure: 9 });
    const [{ id, thresholdId, ruleId }] = await sender.anomalies();
    const { rules, revision } = await packs.showThreshold(caller, thresholdId);
    const [hot, pending] = rules as [Rule, Rule];
    const { id: _, ...alike } = pending;
    const cold: NewRule = { ...HOT, operator: "lt", value: 0 };
    const change = { rules: [cold, { ...alike, message: "High" }, { ...hot, severity: "critical" as const }] };
    const changed = await packs.updateThreshold(caller, thresholdId, change, { revision });
    assert.deepEqual(
      changed.rules.slice(1).map((rule) => rule.id),
      [pending.id, hot.id],
    );
    assert.equal(changed.revision, revision + 1);
    const again = await packs.updateThreshold(caller, thresholdId, change, { revision: revision + 1 });
    assert.deepEqual(again, changed, "the same again changes nothing");
    await sender.say({ temperature: 98, pressure: 9 }, 60_000);
    const [open, late] = await sender.anomalies();
    assert.deepEqual([open.id, open.ruleId, open.status, open.occurrences], [id, ruleId, "open", 2]);
    assert.deepEqual([late.ruleId, late.message], [pending.id, "High"]);
    const refused = (rules: RuleChange[], detail: string) =>
      assert.rejects(packs.updateThreshold(caller, thresholdId, { rules }), { code: "invalid_request", detail });
    await refused([], "rules");
    await refused([HOT, { ...HOT, id: thresholdId }], "rules.1.id");
    await refused([hot, hot], "rules.1.id");
    await refused([{ ...hot, clearValue: 91 }], "rules.0.clearValue");
    await assert.rejects(packs.updateThreshold(caller, thresholdId, { name: "x" }, { revision }), {
      code: "precondition_failed",
    });
    const foreign = packs.updateThreshold(env.otherTenant.caller, thresholdId, {});
    await assert.rejects(foreign, { code: "not_found" });
    await assert.rejects(packs.updateThreshold(caller, "x", {}), { code: "not_found" });
  });

  test("deleting a pack resolves its anomalies and unassigns it from every device and type", async () => {
    const env = given();
    const { caller } = env.tenant;
    const { devices, rules: packs } = env.server.app;
    const sender = await newSenderOfTwoRules(env);
    await sender.say({ temperature: 99, pressure: 9 });
    const [{ id, thresholdId, openedAt }] = await sender.anomalies();
    const named = { name: "x", publishTopics: [], thresholdIds: [thresholdId] };
    const type = await devices.createDeviceType(caller, named);
    const { devices: on, deviceTypes, unresolvedAnomalies } = await packs.showThreshold(caller, thresholdId);
    assert.deepEqual([on, deviceTypes, unresolvedAnomalies], [1, 1, 1]);
    await assert.rejects(packs.deleteThreshold(env.otherTenant.caller, thresholdId), { code: "not_found" });
    await assert.rejects(packs.deleteThreshold(caller, thresholdId, { revision: 7 }), {
      code: "precondition_failed",
    });
    assert.equal(await packs.tenantOfThreshold(thresholdId), env.tenant.slug);
    env.server.clock.advance(1_000);
    await packs.deleteThreshold(caller, thresholdId);
    const [gone] = await sender.anomalies();
    assert.deepEqual([gone.id, gone.thresholdId], [id, thresholdId]);
    assert.deepEqual(resolution(gone), unevaluated("its threshold pack was deleted"));
    assert.ok(gone.resolvedAt > openedAt);
    assert.deepEqual(await storedStates(env, sender.uid), []);
    assert.equal((await env.ask("GET", `thresholds/${thresholdId}`)).status, 404);
    assert.deepEqual((await env.ask("GET", `devices/${sender.id}`)).json.thresholdIds, []);
    assert.deepEqual((await devices.updateDeviceType(caller, type.id, {})).thresholdIds, []);
    await sender.say({ temperature: 99 }, 1);
    assert.equal((await sender.anomalies()).length, 1);
    await assert.rejects(packs.deleteThreshold(caller, thresholdId), { code: "not_found" });
    await assert.rejects(sender.assign([{ id: thresholdId } as ThresholdPack]), { detail: thresholdId });
  });

  test("when two changes name one revision, one is refused; without a revision both take effect", async () => {
    const env = given();
    const { caller } = env.tenant;
    const [one, two] = [env.server.app, env.second.app];
    const { id, rules } = await packOf(env, HOT);
    for (let round = 0; round < (onPostgres ? 20 : 2); round++) {
      const { revision } = await one.rules.showThreshold(caller, id);
      const add = (value: number) => ({ rules: [...rules, { ...HOT, value: value + round * 10 }] });
      const [a, b] = await Promise.allSettled([
        one.rules.updateThreshold(caller, id, add(100), { revision }),
        two.rules.updateThreshold(caller, id, add(105), { revision }),
      ]);
      assert.deepEqual([a.status, b.status].sort(), ["fulfilled", "rejected"]);
      const name = `Round ${round}`;
      await Promise.all([
        one.rules.updateThreshold(caller, id, { name }),
        two.rules.updateThreshold(caller, id, add(109)),
      ]);
      const now = await two.rules.showThreshold(caller, id);
      assert.deepEqual([now.name, now.revision, now.rules[1]!.value], [name, revision + 2, 109 + round * 10]);
    }
  });

  if (onPostgres) {
    test("while a pack changes, its other rules miss no reading, and the anomalies of former rules are resolved", async () => {
      const env = given();
      const { caller } = env.tenant;
      const [one, two] = [env.server.app, env.second.app];
      const pack = await packOf(env, HOT, { ...HOT, metric: "pressure", value: 5 });
      const [hot, high] = pack.rules as [Rule, Rule];
      const { database } = env.server.app;
      const outdated = freshTelemetry(env, { ...database, listen: async () => async () => undefined });
      const senders = await Promise.all(
        [one.telemetry, two.telemetry, outdated].map(async (by) => ({ by, device: await newSender(env, pack) })),
      );
      let changing = true;
      let sent = 0;
      const sendAll = async ({ by, device }: (typeof senders)[number]) => {
        let n = 0;
        while (changing || n < 5) {
          await device.say({ temperature: 99, pressure: n % 2 ? 9 : 1 }, ++n, by);
          sent++;
        }
        const { items } = await one.anomalies.listAnomalies(caller, { deviceId: device.id, skip: 0, limit: 10_000 });
        const [open, ...more] = items.filter(({ ruleId }) => ruleId === hot.id);
        assert.deepEqual([open?.status, open?.occurrences, more], ["open", n, []], "no reading is missed");
      };
      const change = async () => {
        for (let round = 0; round < 30 || sent <= 60; round++) {
          await two.rules.updateThreshold(caller, pack.id, { rules: [{ ...hot, message: `Hot ${round}` }] });
          await one.rules.updateThreshold(caller, pack.id, {
            rules: [hot, { ...high, value: 5 + round / 100, id: undefined }],
          });
        }
        await one.rules.updateThreshold(caller, pack.id, { rules: [hot] });
        changing = false;
      };
      await Promise.all([change(), ...senders.map(sendAll)]);
      const { items } = await one.anomalies.listAnomalies(caller, { status: "open", skip: 0, limit: 10_000 });
      const left = items.filter(({ thresholdId }) => thresholdId === pack.id);
      assert.deepEqual(new Set(left.map(({ ruleId }) => ruleId)), new Set([hot.id]));
      await Promise.all([
        ...senders.map(({ by, device }) => device.say({ temperature: 99, pressure: 9 }, 100_000, by)),
        two.rules.deleteThreshold(caller, pack.id),
        ...senders.map(({ device }) => device.assign([pack]).catch(({ detail }) => assert.equal(detail, pack.id))),
      ]);
      for (const { by, device } of senders) await device.say({ temperature: 99 }, 100_001, by);
      assert.deepEqual(await unresolvedOf(env, pack.id), [0, 0, 0]);
    });
  }
}

/** Returns unresolved anomalies, states and devices that refer to a pack. */
async function unresolvedOf({ server }: Environment, packId: string): Promise<number[]> {
  const count = (from: string) => `(SELECT count(*)::int FROM ${from} = $1)`;
  const [row] = await runSql<{ counts: number[] }>(
    server.app.database.db,
    `SELECT ARRAY[${count("anomalies WHERE resolved_at IS NULL AND threshold_id")},
       ${count("rule_states WHERE threshold_id")}, ${count("device_thresholds WHERE threshold_id")}] AS counts`,
    [packId],
  );
  return row!.counts;
}
