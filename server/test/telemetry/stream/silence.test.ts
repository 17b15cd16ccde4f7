import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { MqttClient } from "mqtt";
import { onPostgres } from "../../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { publish, storedUpTo, streamServices } from "../../harness/ingest-stream.ts";
import { type NatsServer, natsMissing, startJetStream } from "../../harness/processes/nats-server.ts";
import type { TestServer } from "../../harness/server.ts";

/** Longer than the limit of silence (1 s). */
const DELAY_MS = 4_000;

describe("silence with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let nats: NatsServer;
  let services: Awaited<ReturnType<typeof streamServices>>;
  let first: TestServer;
  let tenant: TestTenant;
  let device: TestDevice;
  let client: MqttClient;

  before(async () => {
    nats = await startJetStream();
    services = await streamServices([nats], 2);
    first = services.servers[0]!;
    tenant = await newTenant(first);
    device = await enrollDevice(first, tenant);
    client = await connectMqtt(first, device);
    await publish(client, device, [0]);
    await storedUpTo(services.url, device, 0);
    assert.ok(await eventually(async () => (await first.app.telemetry.streamLag()) !== undefined));
  });
  after(async () => {
    client?.end(true);
    await services?.stop();
    await nats?.stop();
  });

  const poll = () => Promise.all(services.servers.map(({ app }) => app.rules.pollSilence()));
  const anomalies = async () =>
    (await first.app.anomalies.listAnomalies(tenant.caller, { deviceId: device.deviceId, skip: 0, limit: 10 })).items;
  const limitSilence = () =>
    first.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, { silentForSeconds: 1 });

  test("a device whose messages wait in the stream is not silent for any process, and one that sends none is", async () => {
    let n = 1;
    await first.app.database.db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw("LOCK TABLE telemetry_messages IN EXCLUSIVE MODE"));
      await limitSilence();
      const until = performance.now() + DELAY_MS;
      while (performance.now() < until) {
        await publish(client, device, [n++]);
        await poll();
        await pause(100);
      }
    });
    await storedUpTo(services.url, device, n - 1);
    await poll();
    assert.deepEqual(await anomalies(), []);
    assert.ok(await eventually(() => poll().then(async () => (await anomalies()).length === 1)));
    await publish(client, device, [n]);
    await storedUpTo(services.url, device, n);
    assert.deepEqual(
      (await anomalies()).map(({ status }) => status),
      ["resolved"],
    );
  });

  test("time in which NATS does not answer does not count as silence", async () => {
    await publish(client, device, [1_000]);
    await storedUpTo(services.url, device, 1_000);
    const before = (await anomalies()).length;
    await nats.kill();
    const published = publish(client, device, [1_001]);
    const until = performance.now() + 2 * DELAY_MS;
    while (performance.now() < until) {
      await poll();
      await pause(100);
    }
    assert.equal((await anomalies()).length, before);
    await nats.start();
    await published;
  });
});
