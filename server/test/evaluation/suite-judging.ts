import assert from "node:assert/strict";
import { test } from "node:test";
import { loadWatches } from "../../src/rules/rule-state-store.ts";
import { onPostgres } from "../harness/database.ts";
import { connectMqtt, enrollDevice } from "../harness/devices.ts";
import { HOT, type World } from "../monitoring/world.ts";
import { freshTelemetry, newSender, packOf, storedReadings, storedStates } from "./sender.ts";

const summary = ({ status, value, occurrences, resolvedBy }: Record<string, unknown>) => [
  status,
  value,
  occurrences,
  resolvedBy,
];

/** From a reading to an anomaly and its end. */
export function judgingRules(given: () => World): void {
  test("a reading over the limit, published with a certificate, is an anomaly when it is acknowledged", async () => {
    const world = given();
    const { server, tenant, ask } = world;
    const device = await enrollDevice(server, tenant);
    const pack = await packOf(world, HOT);
    const put = await ask("PUT", `devices/${device.deviceId}`, { name: "Pump", thresholdIds: [pack.id] });
    assert.equal(put.status, 200, put.text);
    const client = await connectMqtt(server, device);
    const publish = (values: object) => client.publishAsync(device.topic, JSON.stringify(values), { qos: 1 });
    const list = async () => (await ask("GET", `anomalies?deviceId=${device.deviceId}`)).json.items;
    await publish({ temperature: 90, pressure: 4 });
    assert.deepEqual(await list(), []);
    server.clock.advance(1_000);
    await publish({ temperature: 93.5 });
    const openedAt = server.clock.now().toISOString();
    server.clock.advance(1_000);
    await publish({ temperature: 94 });
    const [opened, ...none] = await list();
    assert.deepEqual(none, []);
    const { id, ...record } = opened;
    assert.deepEqual(record, {
      deviceId: device.deviceId,
      thresholdId: pack.id,
      ruleId: pack.rules[0]!.id,
      metric: "temperature",
      value: 94,
      limit: 90,
      severity: "major",
      status: "open",
      message: "temperature is above 90",
      openedAt,
      lastObservedAt: server.clock.now().toISOString(),
      occurrences: 2,
      acknowledgedAt: null,
      acknowledgedBy: null,
      comment: null,
      resolvedAt: null,
      resolvedBy: null,
      ticketId: null,
    });
    server.clock.advance(1_000);
    await publish({ temperature: 20 });
    const { json } = await ask("GET", `anomalies/${id}`);
    assert.deepEqual(summary(json), ["resolved", 94, 2, "system"]);
    assert.equal(json.resolvedAt, server.clock.now().toISOString());
    await client.endAsync();
  });

  test("what is late or comes twice neither opens nor closes", async () => {
    const world = given();
    const sender = await newSender(world, await packOf(world, HOT));
    await sender.say({ temperature: 20 }, 0);
    await sender.say({ temperature: 99 }, -1);
    await sender.say({ temperature: 99 }, 0);
    assert.deepEqual(await sender.anomalies(), []);
    await sender.say({ temperature: 99 }, 10);
    await sender.say({ temperature: 20 }, 10);
    await sender.say({ temperature: 20 }, 5);
    await sender.say({ temperature: 99 }, 10);
    assert.deepEqual((await sender.anomalies()).map(summary), [["open", 99, 1, null]]);
  });

  test("durations are measured in the device's time, over a restart, and the buffered readings of a message in order", async () => {
    const world = given();
    const rule = { ...HOT, clearValue: 80, forSeconds: 10, clearForSeconds: 5 };
    const sender = await newSender(world, await packOf(world, rule));
    const base = world.server.clock.now().getTime() - 60_000;
    const at = (second: number, temperature: number) => ({ ts: base + second * 1000, values: { temperature } });
    await sender.send([[at(5, 99), at(0, 95)]]);
    assert.deepEqual(await storedStates(world, sender.uid), ["pending"]);
    await sender.send([at(9, 95)], freshTelemetry(world));
    assert.deepEqual(await sender.anomalies(), []);
    await sender.send([at(10, 97)], freshTelemetry(world));
    assert.deepEqual((await sender.anomalies()).map(summary), [["open", 97, 1, null]]);
    assert.deepEqual(await storedStates(world, sender.uid), []);
    await sender.send([at(11, 85), at(12, 80), at(16, 79)]);
    assert.deepEqual(await storedStates(world, sender.uid), ["clearing"]);
    await sender.send([at(17, 80)], freshTelemetry(world));
    assert.deepEqual((await sender.anomalies()).map(summary), [["resolved", 97, 1, "system"]]);
    assert.deepEqual(await storedStates(world, sender.uid), []);
  });

  test("a time that cannot be believed counts as the server's", async () => {
    const world = given();
    const sender = await newSender(world, await packOf(world, { ...HOT, forSeconds: 30 }));
    await sender.send([{ ts: 0, values: { temperature: 99 } }]);
    world.server.clock.advance(29_000);
    await sender.send([{ ts: 1, values: { temperature: 99 } }]);
    assert.deepEqual(await sender.anomalies(), []);
    world.server.clock.advance(1_000);
    await sender.send([{ temperature: 99 }]);
    assert.equal((await sender.anomalies()).length, 1);
  });

  test("faults that came and went within one message are anomalies of their own, resolved", async () => {
    const world = given();
    const sender = await newSender(world, await packOf(world, HOT));
    const base = world.server.clock.now().getTime() - 60_000;
    await sender.send([[91, 92, 20, 93, 20, 94].map((temperature, n) => ({ ts: base + n, values: { temperature } }))]);
    assert.deepEqual((await sender.anomalies()).map(summary), [
      ["resolved", 92, 2, "system"],
      ["resolved", 93, 1, "system"],
      ["open", 94, 1, null],
    ]);
  });

  test("a message that cannot be read leaves every rule where it is, and its neighbours are judged", async () => {
    const world = given();
    const sender = await newSender(world, await packOf(world, HOT));
    await sender.send(["no reading", { temperature: 99 }, { temperature: null }]);
    assert.deepEqual((await sender.anomalies()).map(summary), [["open", 99, 1, null]]);
  });

  test("however many metrics a device has named, only those that its rules watch are looked at", async () => {
    const world = given();
    const sender = await newSender(world, await packOf(world, HOT, { ...HOT, operator: "lt", value: 10 }));
    await sender.say({ ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`m${n}`, n])), temperature: 20 });
    const [watched] = await loadWatches(world.server.app.database.db, [sender.uid]);
    assert.deepEqual(
      watched!.latest!.map(({ metric }) => metric),
      ["temperature"],
    );
  });

  test("two processes that hear the same device at once lose no message, and agree", async () => {
    const world = given();
    const sender = await newSender(world, await packOf(world, HOT, { ...HOT, operator: "lt", value: 50 }));
    const processes = [freshTelemetry(world), freshTelemetry(world)];
    const rounds = onPostgres ? 40 : 10;
    await Promise.all(
      processes.map(async (by, at) => {
        for (let n = 0; n < rounds; n++) await sender.say({ temperature: n % 5 ? 99 : 20 }, n * 2 + at, by);
      }),
    );
    const stored = await storedReadings(world, sender.uid);
    assert.equal(stored, rounds * 2);
    await sender.say({ temperature: 60 }, rounds * 2, processes[0]);
    const anomalies = await sender.anomalies();
    assert.ok(anomalies.length >= 2);
    assert.deepEqual(new Set(anomalies.map(({ status }) => status)), new Set(["resolved"]));
  });

  if (onPostgres) {
    test("a device that connects to one process and then another is judged as one", async () => {
      const world = given();
      const { server, second, tenant, ask } = world;
      const device = await enrollDevice(server, tenant);
      const pack = await packOf(world, { ...HOT, forSeconds: 10, clearForSeconds: 10 });
      await ask("PUT", `devices/${device.deviceId}`, { name: "Pump", thresholdIds: [pack.id] });
      const base = server.clock.now().getTime() - 60_000;
      const readings = [95, 96, 97, 20, 20, 20];
      for (const [n, temperature] of readings.entries()) {
        const client = await connectMqtt(n % 2 ? second : server, device);
        const message = { ts: base + n * 10_000, values: { temperature } };
        await client.publishAsync(device.topic, JSON.stringify(message), { qos: 1 });
        await client.endAsync();
      }
      const { items } = (await ask("GET", `anomalies?deviceId=${device.deviceId}`)).json;
      assert.deepEqual(items.map(summary), [["resolved", 97, 2, "system"]]);
    });
  }
}
