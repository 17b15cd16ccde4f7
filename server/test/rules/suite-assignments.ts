import assert from "node:assert/strict";
import { test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
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

/** The effect on anomalies when packs are assigned to devices and types, or unassigned. */
export function assignmentRules(given: () => Environment): void {
  test("unassigning a pack from a device resolves the anomalies that only this pack evaluates, with a comment", async () => {
    const env = given();
    const sender = await newSenderOfTwoRules(env);
    const kept = await packOf(env, HOT);
    await sender.say({ temperature: 99, pressure: 9 });
    assert.deepEqual(await storedStates(env, sender.uid), ["pending"]);
    const { thresholdIds } = (await env.ask("GET", `devices/${sender.id}`)).json;
    const replace = (ids: string[]) => env.ask("PUT", `devices/${sender.id}`, { name: "Same", thresholdIds: ids });
    await replace([...thresholdIds, kept.id]);
    assert.deepEqual(
      (await sender.anomalies()).map(resolution),
      [["open", null, null]],
      "assigning it again changes nothing",
    );
    assert.deepEqual(await storedStates(env, sender.uid), ["pending"]);
    await sender.say({ temperature: 98 }, 1);
    assert.equal((await sender.anomalies()).length, 2);
    env.server.clock.advance(1_000);
    await replace([kept.id]);
    const [first, second] = await sender.anomalies();
    assert.deepEqual(resolution(first), unevaluated("its threshold pack was unassigned from the device"));
    assert.equal(first.resolvedAt, env.server.clock.now().toISOString());
    assert.deepEqual(resolution(second), ["open", null, null]);
    assert.deepEqual(await storedStates(env, sender.uid), []);
    await sender.say({ temperature: 97, pressure: 9 }, 2);
    assert.deepEqual((await sender.anomalies()).length, 2);
  });

  test("the comment of an acknowledgement stays when the service resolves the anomaly", async () => {
    const env = given();
    const sender = await newSenderOfTwoRules(env);
    await sender.say({ temperature: 99 });
    const [{ id }] = await sender.anomalies();
    await env.ask("POST", `anomalies/${id}/acknowledge`, { comment: "On my way" });
    await sender.assign([]);
    assert.deepEqual((await sender.anomalies()).map(resolution), [["resolved", "system", "On my way"]]);
  });

  test("a pack of a device type evaluates its devices until it is unassigned or they change their type", async () => {
    const env = given();
    const { devices } = env.server.app;
    const { caller } = env.tenant;
    const pack = await packOf(env, HOT);
    const type = await devices.createDeviceType(caller, { name: "Hot", publishTopics: [], thresholdIds: [pack.id] });
    assert.deepEqual([type.thresholdIds, type.silentForSeconds], [[pack.id], null]);
    const [one, two, both] = [await newSender(env), await newSender(env), await newSender(env)];
    await one.say({ temperature: 99 });
    await one.assign([], type.id);
    await two.assign([], type.id);
    await both.assign([pack], type.id);
    for (const sender of [one, two, both]) {
      await sender.say({ temperature: 99 }, 1);
      assert.equal((await sender.anomalies()).length, 1);
    }
    await one.assign([]);
    assert.deepEqual((await one.anomalies()).map(resolution), [unevaluated("the device has another type")]);
    await devices.updateDeviceType(caller, type.id, { thresholdIds: [pack.id] });
    assert.deepEqual((await two.anomalies()).map(resolution), [["open", null, null]]);
    await devices.updateDeviceType(caller, type.id, { thresholdIds: [] });
    assert.deepEqual((await two.anomalies()).map(resolution), [
      unevaluated("its threshold pack was unassigned from the device type"),
    ]);
    assert.deepEqual((await both.anomalies()).map(resolution), [["open", null, null]]);
    await assert.rejects(devices.updateDeviceType(caller, type.id, { thresholdIds: [type.id] }), {
      code: "invalid_request",
      detail: type.id,
    });
  });

  test("a process that still caches an unassigned pack opens no anomaly for it", async () => {
    const env = given();
    const { database } = env.server.app;
    const sender = await newSenderOfTwoRules(env);
    // This process receives no notifications, so its cache is outdated when it stores.
    const outdated = freshTelemetry(env, { ...database, listen: async () => async () => undefined });
    await sender.say({ temperature: 20, pressure: 1 }, 0, outdated);
    await sender.assign([]);
    await sender.say({ temperature: 99, pressure: 9 }, 1, outdated);
    assert.deepEqual(await sender.anomalies(), []);
    assert.deepEqual(await storedStates(env, sender.uid), []);
  });

  test("a pack unassigned while its anomaly opens leaves no unresolved anomaly", async () => {
    const env = given();
    const { devices } = env.server.app;
    const pack = await packOf(env, HOT);
    const type = await devices.createDeviceType(env.tenant.caller, { name: "Contested", publishTopics: [] });
    const other = freshTelemetry(env);
    let opened = 0;
    for (let round = 0; round < (onPostgres ? 20 : 2); round++) {
      const [one, two] = [await newSender(env, pack), await newSender(env)];
      await two.assign([], type.id);
      await devices.updateDeviceType(env.tenant.caller, type.id, { thresholdIds: [pack.id] });
      for (const sender of [one, two]) await sender.say({ temperature: 20 }, 0, other);
      await Promise.all([
        one.say({ temperature: 99 }, 1, other),
        two.say({ temperature: 99 }, 1),
        one.assign([]),
        devices.updateDeviceType(env.tenant.caller, type.id, { thresholdIds: [] }),
        one.say({ temperature: 99 }, 2),
      ]);
      for (const sender of [one, two]) {
        const anomalies = await sender.anomalies();
        opened += anomalies.length;
        for (const { status } of anomalies) assert.equal(status, "resolved");
      }
    }
    assert.ok(!onPostgres || opened > 0, "no anomaly opened during a change");
  });

  if (onPostgres) {
    test("an assignment in one process takes effect in another", async () => {
      const env = given();
      const { server, second } = env;
      const sender = await newSender(env);
      await sender.say({ temperature: 20 });
      const pack = await packOf(env, HOT);
      const assigned = { name: "x", thresholdIds: [pack.id] };
      await second.app.devices.replaceDevice(env.tenant.caller, sender.id, assigned);
      for (let ms = 1; (await sender.anomalies()).length === 0; ms++) await sender.say({ temperature: 99 }, ms);
      assert.equal((await sender.anomalies()).length, 1);
      assert.ok(server !== second);
    });
  }
}
