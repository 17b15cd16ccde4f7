import assert from "node:assert/strict";
import { test } from "node:test";
import type mqtt from "mqtt";
import type { NewRule } from "../../src/rules/rules.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

// Attacks on ingest within the rate limits of a device, sent by a device. Each once affected other tenants.

const HOT: NewRule = { metric: "a", operator: "gt", value: 90, severity: "major" };

interface Attacker extends TestDevice {
  client: mqtt.MqttClient;
}

/** A connected device with this many rules on its metric `a`. */
async function attackerOf(server: TestServer, tenant: TestTenant, rules: number): Promise<Attacker> {
  const { app } = server;
  const device = await enrollDevice(server, tenant);
  if (rules > 0) {
    const pack = await app.rules.createThreshold(tenant.caller, {
      name: "Rules",
      rules: Array.from({ length: rules }, (_, n) => ({ ...HOT, value: 90 + n / 100 })),
    });
    await app.devices.replaceDevice(tenant.caller, device.deviceId, { name: "Attacker", thresholdIds: [pack.id] });
  }
  return { ...device, client: await connectMqtt(server, device) };
}

const send = ({ client, topic }: Attacker, payload: unknown) =>
  client.publishAsync(topic, JSON.stringify(payload), { qos: 1 });

/** Readings that alternately break every rule and are normal. */
function alternating(server: TestServer, readings: number): unknown[] {
  const from = server.clock.now().getTime() - readings;
  return Array.from({ length: readings }, (_, at) => ({ ts: from + at, values: { a: at % 2 === 0 ? 99 : 1 } }));
}

async function anomaliesOf(server: TestServer, { caller }: TestTenant, deviceId: string) {
  const page = { skip: 0, limit: 200 };
  return (await server.app.anomalies.listAnomalies(caller, { deviceId, ...page })).items;
}

async function withServer(env: Record<string, string>, work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ env });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

test("a message of 3,300 readings is rejected with a reason and counted; its session and others are undisturbed", () =>
  withServer({}, async (server) => {
    const tenant = await newTenant(server);
    const attacker = await attackerOf(server, tenant, 10);
    const honest = await attackerOf(server, await newTenant(server), 0);
    const payload = alternating(server, 3_300);
    await Promise.all([
      ...Array.from({ length: 4 }, () => send(attacker, payload)),
      ...Array.from({ length: 20 }, (_, n) => send(honest, { a: n })),
    ]);
    await send(attacker, { a: 5 });
    const { listLatest, listRejected } = server.app.telemetry;
    const reasons = (await listRejected(tenant.caller, attacker.deviceId)).map(({ reason }) => reason);
    assert.deepEqual(reasons, Array(4).fill("there are 3300 readings; a message may contain 1000"));
    assert.deepEqual(
      (await listLatest(tenant.caller, attacker.deviceId)).map(({ value }) => value),
      [5],
    );
    assert.deepEqual(await anomaliesOf(server, tenant, attacker.deviceId), []);
    const text = await (await fetch(server.app.api.metricsUrl)).text();
    assert.match(text, /muster_messages_rejected_total\{reason="readings_per_message"\} 4\n/);
    assert.ok(attacker.client.connected && honest.client.connected);
    await Promise.all([attacker, honest].map(({ client }) => client.endAsync()));
  }));

test("3,300 alternating readings against 50 rules store one resolved anomaly per rule, which counts all openings", () =>
  withServer({ MUSTER_LIMIT_READINGS_PER_MESSAGE: "5000" }, async (server) => {
    const tenant = await newTenant(server);
    const attacker = await attackerOf(server, tenant, 50);
    const payload = alternating(server, 3_300);
    assert.ok(JSON.stringify(payload).length < 131_072);
    await send(attacker, payload);
    const anomalies = await anomaliesOf(server, tenant, attacker.deviceId);
    assert.equal(anomalies.length, 50);
    assert.equal(new Set(anomalies.map(({ ruleId }) => ruleId)).size, 50);
    for (const { status, occurrences } of anomalies) assert.deepEqual([status, occurrences], ["resolved", 1_650]);
    await attacker.client.endAsync();
  }));

test("a device that keeps sending new metric names keeps the first 500 and its session", () =>
  withServer({}, async (server) => {
    const tenant = await newTenant(server);
    const attacker = await attackerOf(server, tenant, 0);
    for (let from = 0; from < 1_000; from += 100) {
      await send(attacker, Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`m${from + n}`, n])));
    }
    const { listLatest, listRejected } = server.app.telemetry;
    assert.equal((await listLatest(tenant.caller, attacker.deviceId)).length, 500);
    const rejected = await listRejected(tenant.caller, attacker.deviceId);
    assert.equal(rejected.length, 5);
    const cap = "the device has reached its limit of 500";
    assert.equal(rejected[0]!.reason, `"m900" would be a new metric; ${cap} (and 99 more)`);
    await attacker.client.endAsync();
  }));
