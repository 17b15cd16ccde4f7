import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MqttClient } from "mqtt";
import { received } from "../broker/bus/bus-suite.ts";
import { onPostgres } from "../harness/database/database.ts";
import { eventually } from "../harness/eventually.ts";
import type { CrashFixture } from "../harness/processes/crash.ts";
import { NATS_VERSION_FLOOR, type NatsServer, natsMissing, startNats } from "../harness/processes/nats-server.ts";
import { ResendingDevice } from "./resending-device.ts";
import {
  connectElsewhere,
  gateway,
  nodeOf,
  processesOf,
  replaced,
  startWorkers,
  storedOf,
  TELEMETRY,
} from "./service.ts";

/** Several processes need PostgreSQL: the embedded database has one. */
describe("workers that exchange their messages over NATS", { skip: natsMissing ?? false }, () => {
  if (!onPostgres || process.platform !== "linux") return;
  let nats: NatsServer;
  let service: CrashFixture;
  let subscriber: MqttClient;
  let got: ReturnType<typeof received>;

  before(async () => {
    nats = await startNats();
    service = await startWorkers({ MUSTER_NATS_URL: nats.url, MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR });
  });
  after(async () => {
    await service.server.end("SIGTERM");
    await service.close();
    await nats.stop();
  });

  /** Resolves when a message has arrived that the device sent after the call. */
  async function arrives({ device, acknowledged }: ResendingDevice): Promise<void> {
    const next = acknowledged.length + 1;
    const isNew = (payload: string) => JSON.parse(payload).values.n > next;
    assert.ok(await eventually(async () => got.of(device.topic).some(isNew)), "no message arrives");
  }

  test("a subscriber at one worker receives the messages of a device at the other in order", async () => {
    subscriber = await gateway(service, "listener");
    got = received(subscriber);
    await subscriber.subscribeAsync(TELEMETRY, { qos: 1 });
    const device = await service.enroll();
    const { client } = await connectElsewhere(service, device, await nodeOf(service, "listener"));
    const expected = Array.from({ length: 50 }, (_, n) => JSON.stringify({ n }));
    for (const payload of expected) await client.publishAsync(device.topic, payload, { qos: 1 });
    await got.atLeast(expected.length);
    assert.deepEqual(got.of(device.topic), expected);
    await client.endAsync();
  });

  test("the doctor tries a connection to NATS from a process that needs none", async () => {
    const found = async () => {
      const { checks } = await service.server.command("doctor", { deep: false });
      return checks.find(({ name }: { name: string }) => name === "NATS accepts a connection of this service");
    };
    assert.equal((await found()).ok, true);
    await nats.kill();
    const { ok, level, examples } = await found();
    assert.deepEqual([ok, level], [false, "must"]);
    assert.match(examples[0], /^no server of MUSTER_NATS_URL answers \(127\.0\.0\.1:\d+\): .*start the servers/);
    await nats.start();
    assert.equal((await found()).ok, true);
  });

  test("when NATS and a worker are killed, every acknowledged message is stored once, and messages arrive again", async () => {
    const devices: ResendingDevice[] = [];
    for (let n = 0; n < 4; n++) devices.push(new ResendingDevice(service, await service.enroll()));
    const running = devices.map((each) => each.run());
    for (const each of devices) await arrives(each);
    await nats.kill();
    const [first] = devices as [ResendingDevice];
    const acknowledged = first.acknowledged.length;
    assert.ok(await eventually(async () => first.acknowledged.length > acknowledged + 20), "devices are served");
    await nats.start();
    for (const each of devices) await arrives(each);
    const victim = processesOf(service).find(({ name }) => name === "serve-1")!;
    process.kill(victim.pid, "SIGKILL");
    await replaced(service, victim);
    if (!subscriber.connected) {
      subscriber = await gateway(service, "second-listener");
      got = received(subscriber);
      await subscriber.subscribeAsync(TELEMETRY, { qos: 1 });
    }
    for (const each of devices) await arrives(each);
    for (const each of devices) each.stop();
    await Promise.all(running);
    for (const { device, acknowledged } of devices)
      assert.deepEqual(await storedOf(service, device.deviceId), acknowledged, device.deviceId);
    subscriber.end(true);
    await service.doctor();
  });
});
