import assert from "node:assert/strict";
import { test } from "node:test";
import { onPostgres } from "../harness/database.ts";
import { HOT, type World } from "../monitoring/world.ts";
import { ended, freshTelemetry, newJudged, newSender, packOf, storedStates, unjudged } from "./sender.ts";

/** What becomes of anomalies when packs, devices and types change. */
export function changeRules(given: () => World): void {
  test("a pack taken off a device ends what it alone could judge, and says so", async () => {
    const world = given();
    const sender = await newJudged(world);
    const kept = await packOf(world, HOT);
    await sender.say({ temperature: 99, pressure: 9 });
    assert.deepEqual(await storedStates(world, sender.uid), ["pending"]);
    const { thresholdIds } = (await world.ask("GET", `devices/${sender.id}`)).json;
    const put = (ids: string[]) => world.ask("PUT", `devices/${sender.id}`, { name: "Same", thresholdIds: ids });
    await put([...thresholdIds, kept.id]);
    assert.deepEqual(
      (await sender.anomalies()).map(ended),
      [["open", null, null]],
      "putting it on again changes nothing",
    );
    assert.deepEqual(await storedStates(world, sender.uid), ["pending"]);
    await sender.say({ temperature: 98 }, 1);
    assert.equal((await sender.anomalies()).length, 2);
    world.server.clock.advance(1_000);
    await put([kept.id]);
    const [first, second] = await sender.anomalies();
    assert.deepEqual(ended(first), unjudged("its threshold pack was taken off the device"));
    assert.equal(first.resolvedAt, world.server.clock.now().toISOString());
    assert.deepEqual(ended(second), ["open", null, null]);
    assert.deepEqual(await storedStates(world, sender.uid), []);
    await sender.say({ temperature: 97, pressure: 9 }, 2);
    assert.deepEqual((await sender.anomalies()).length, 2);
  });

  test("what somebody said of an anomaly stays when the service resolves it", async () => {
    const world = given();
    const sender = await newJudged(world);
    await sender.say({ temperature: 99 });
    const [{ id }] = await sender.anomalies();
    await world.ask("POST", `anomalies/${id}/acknowledge`, { comment: "On my way" });
    await sender.watch([]);
    assert.deepEqual((await sender.anomalies()).map(ended), [["resolved", "system", "On my way"]]);
  });

  test("a pack of a device type watches its devices, until it is taken off or they are of another type", async () => {
    const world = given();
    const { devices } = world.server.app;
    const { caller } = world.tenant;
    const pack = await packOf(world, HOT);
    const type = await devices.createDeviceType(caller, { name: "Hot", publishTopics: [], thresholdIds: [pack.id] });
    assert.deepEqual([type.thresholdIds, type.silentForSeconds], [[pack.id], null]);
    const [one, two, both] = [await newSender(world), await newSender(world), await newSender(world)];
    await one.say({ temperature: 99 });
    await one.watch([], type.id);
    await two.watch([], type.id);
    await both.watch([pack], type.id);
    for (const sender of [one, two, both]) {
      await sender.say({ temperature: 99 }, 1);
      assert.equal((await sender.anomalies()).length, 1);
    }
    await one.watch([]);
    assert.deepEqual((await one.anomalies()).map(ended), [unjudged("the device has another type")]);
    await devices.updateDeviceType(caller, type.id, { thresholdIds: [pack.id] });
    assert.deepEqual((await two.anomalies()).map(ended), [["open", null, null]]);
    await devices.updateDeviceType(caller, type.id, { thresholdIds: [] });
    assert.deepEqual((await two.anomalies()).map(ended), [
      unjudged("its threshold pack was taken off the device type"),
    ]);
    assert.deepEqual((await both.anomalies()).map(ended), [["open", null, null]]);
    await assert.rejects(devices.updateDeviceType(caller, type.id, { thresholdIds: [type.id] }), {
      code: "invalid_request",
      detail: type.id,
    });
  });

  test("whoever remembers a pack that was taken off opens nothing for it", async () => {
    const world = given();
    const { database } = world.server.app;
    const sender = await newJudged(world);
    // A process that no news reaches: it goes by what it remembers until the database tells it otherwise.
    const deaf = freshTelemetry(world, { ...database, listen: async () => async () => undefined });
    await sender.say({ temperature: 20, pressure: 1 }, 0, deaf);
    await sender.watch([]);
    await sender.say({ temperature: 99, pressure: 9 }, 1, deaf);
    assert.deepEqual(await sender.anomalies(), []);
    assert.deepEqual(await storedStates(world, sender.uid), []);
  });

  test("a pack taken off while its anomaly opens leaves none behind that nobody judges", async () => {
    const world = given();
    const { devices } = world.server.app;
    const pack = await packOf(world, HOT);
    const type = await devices.createDeviceType(world.tenant.caller, { name: "Contested", publishTopics: [] });
    const other = freshTelemetry(world);
    let opened = 0;
    for (let round = 0; round < (onPostgres ? 20 : 2); round++) {
      const [one, two] = [await newSender(world, pack), await newSender(world)];
      await two.watch([], type.id);
      await devices.updateDeviceType(world.tenant.caller, type.id, { thresholdIds: [pack.id] });
      for (const sender of [one, two]) await sender.say({ temperature: 20 }, 0, other);
      await Promise.all([
        one.say({ temperature: 99 }, 1, other),
        two.say({ temperature: 99 }, 1),
        one.watch([]),
        devices.updateDeviceType(world.tenant.caller, type.id, { thresholdIds: [] }),
        one.say({ temperature: 99 }, 2),
      ]);
      for (const sender of [one, two]) {
        const anomalies = await sender.anomalies();
        opened += anomalies.length;
        for (const { status } of anomalies) assert.equal(status, "resolved");
      }
    }
    assert.ok(!onPostgres || opened > 0, "no round met the other");
  });

  if (onPostgres) {
    test("what one process changes, another judges by", async () => {
      const world = given();
      const { server, second } = world;
      const sender = await newSender(world);
      await sender.say({ temperature: 20 });
      const pack = await packOf(world, HOT);
      const put = { name: "x", thresholdIds: [pack.id] };
      await second.app.devices.replaceDevice(world.tenant.caller, sender.id, put);
      for (let ms = 1; (await sender.anomalies()).length === 0; ms++) await sender.say({ temperature: 99 }, ms);
      assert.equal((await sender.anomalies()).length, 1);
      assert.ok(server !== second);
    });
  }
}
