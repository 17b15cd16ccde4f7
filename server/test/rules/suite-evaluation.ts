import assert from "node:assert/strict";
import { test } from "node:test";
import { loadDeviceRows } from "../../src/rules/rule-state-store.ts";
import { onPostgres } from "../harness/database/database.ts";
import { connectMqtt, enrollDevice } from "../harness/devices.ts";
import { type Environment, HOT } from "./environment.ts";
import { freshTelemetry, newSender, packOf, storedReadings, storedStates } from "./sender.ts";

const summary = ({ status, value, occurrences, resolvedBy }: Record<string, unknown>) => [
  status,
  value,
  occurrences,
  resolvedBy,
];

/** The way from a reading to an anomaly and its resolution. */
export function evaluationRules(given: () => Environment): void {
  test("a reading over the limit is an anomaly by the time its message is stored", async () => {
    const env = given();
    const { server, tenant, ask } = env;
    const device = await enrollDevice(server, tenant);
    const pack = await packOf(env, HOT);
    const put = await ask("PUT", `devices/${device.deviceId}`, { name: "Pump", thresholdIds: [pack.id] });
    assert.equal(put.status, 200, put.text);
    const client = await connectMqtt(server, device);
    const publish = async (values: object) => {
      await client.publishAsync(device.topic, JSON.stringify(values), { qos: 1 });
      await env.stored();
    };
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

  test("late and repeated readings neither open nor resolve an anomaly", async () => {
    const env = given();
    const sender = await newSender(env, await packOf(env, HOT));
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

  test("durations are measured in device time, across restarts, with the buffered readings of a message in order", async () => {
    const env = given();
    const rule = { ...HOT, clearValue: 80, forSeconds: 10, clearForSeconds: 5 };
    const sender = await newSender(env, await packOf(env, rule));
    const base = env.server.clock.now().getTime() - 60_000;
    const at = (second: number, temperature: number) => ({ ts: base + second * 1000, values: { temperature } });
    await sender.send([[at(5, 99), at(0, 95)]]);
    assert.deepEqual(await storedStates(env, sender.uid), ["pending"]);
    await sender.send([at(9, 95)], freshTelemetry(env));
    assert.deepEqual(await sender.anomalies(), []);
    await sender.send([at(10, 97)], freshTelemetry(env));
    assert.deepEqual((await sender.anomalies()).map(summary), [["open", 97, 1, null]]);
    assert.deepEqual(await storedStates(env, sender.uid), []);
    await sender.send([at(11, 85), at(12, 80), at(16, 79)]);
    assert.deepEqual(await storedStates(env, sender.uid), ["clearing"]);
    await sender.send([at(17, 80)], freshTelemetry(env));
    assert.deepEqual((await sender.anomalies()).map(summary), [["resolved", 97, 1, "system"]]);
    assert.deepEqual(await storedStates(env, sender.uid), []);
  });

  test("an implausible device time is replaced by the server's time", async () => {
    const env = given();
    const sender = await newSender(env, await packOf(env, { ...HOT, forSeconds: 30 }));
    await sender.send([{ ts: 0, values: { temperature: 99 } }]);
    env.server.clock.advance(29_000);
    await sender.send([{ ts: 1, values: { temperature: 99 } }]);
    assert.deepEqual(await sender.anomalies(), []);
    env.server.clock.advance(1_000);
    await sender.send([{ temperature: 99 }]);
    assert.equal((await sender.anomalies()).length, 1);
  });

  test("breaches that begin and end within one message become one resolved anomaly, which counts all of them", async () => {
    const env = given();
    const sender = await newSender(env, await packOf(env, HOT));
    const base = env.server.clock.now().getTime() - 60_000;
    await sender.send([[91, 92, 20, 93, 20, 94].map((temperature, n) => ({ ts: base + n, values: { temperature } }))]);
    assert.deepEqual((await sender.anomalies()).map(summary), [
      ["resolved", 93, 3, "system"],
      ["open", 94, 1, null],
    ]);
  });

  test("a malformed message changes no rule state, and the other messages of its batch are evaluated", async () => {
    const env = given();
    const sender = await newSender(env, await packOf(env, HOT));
    await sender.send(["no reading", { temperature: 99 }, { temperature: null }]);
    assert.deepEqual((await sender.anomalies()).map(summary), [["open", 99, 1, null]]);
  });

  test("only the latest values of metrics with rules are loaded, however many a device has sent", async () => {
    const env = given();
    const sender = await newSender(env, await packOf(env, HOT, { ...HOT, operator: "lt", value: 10 }));
    await sender.say({ ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`m${n}`, n])), temperature: 20 });
    const [device] = await loadDeviceRows(env.server.app.database.db, [sender.uid]);
    assert.deepEqual(
      device!.latest!.map(({ metric }) => metric),
      ["temperature"],
    );
  });

  test("two processes that receive messages of one device simultaneously store all of them and agree on its anomalies", async () => {
    const env = given();
    const sender = await newSender(env, await packOf(env, HOT, { ...HOT, operator: "lt", value: 50 }));
    const processes = [freshTelemetry(env), freshTelemetry(env)];
    const rounds = onPostgres ? 40 : 10;
    await Promise.all(
      processes.map(async (by, at) => {
        for (let n = 0; n < rounds; n++) await sender.say({ temperature: n % 5 ? 99 : 20 }, n * 2 + at, by);
      }),
    );
    const stored = await storedReadings(env, sender.uid);
    assert.equal(stored, rounds * 2);
    await sender.say({ temperature: 60 }, rounds * 2, processes[0]);
    const anomalies = await sender.anomalies();
    assert.ok(anomalies.length >= 2);
    assert.deepEqual(new Set(anomalies.map(({ status }) => status)), new Set(["resolved"]));
  });

  if (onPostgres) {
    test("a device that alternates between two processes has one rule state", async () => {
      const env = given();
      const { server, second, tenant, ask } = env;
      const device = await enrollDevice(server, tenant);
      const pack = await packOf(env, { ...HOT, forSeconds: 10, clearForSeconds: 10 });
      await ask("PUT", `devices/${device.deviceId}`, { name: "Pump", thresholdIds: [pack.id] });
      const base = server.clock.now().getTime() - 60_000;
      const readings = [95, 96, 97, 20, 20, 20];
      for (const [n, temperature] of readings.entries()) {
        const client = await connectMqtt(n % 2 ? second : server, device);
        const message = { ts: base + n * 10_000, values: { temperature } };
        await client.publishAsync(device.topic, JSON.stringify(message), { qos: 1 });
        await client.endAsync();
      }
      await env.stored();
      const { items } = (await ask("GET", `anomalies?deviceId=${device.deviceId}`)).json;
      assert.deepEqual(items.map(summary), [["resolved", 97, 2, "system"]]);
    });
  }
}
