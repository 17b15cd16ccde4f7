import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MqttClient } from "mqtt";
import { eventually } from "../../harness/eventually.ts";
import { closed, connect, connectGateway, journal, startBroker, type TestBroker } from "../environment.ts";
import type { Place } from "../place.ts";
import { publishPacket, rawSession } from "../raw-client.ts";

/** Resolves with the next message that arrives at `client`. */
function nextMessage(client: MqttClient): Promise<{ topic: string; payload: string; retain: boolean }> {
  return new Promise((resolve) =>
    client.once("message", (topic, payload, packet) =>
      resolve({ topic, payload: payload.toString(), retain: packet.retain }),
    ),
  );
}

export function topicRules(place: Place): void {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker(place);
  });
  after(() => broker.stop());

  test("messages at every QoS on a topic of the device are stored", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    await client.publishAsync(device.topic, '{"first":1}', { qos: 2 });
    await client.publishAsync(device.topic, '{"second":true}', { qos: 1 });
    await client.publishAsync(device.topic, '{"third":"x"}', { qos: 0 });
    await client.endAsync();
    const values = await eventually(async () => {
      const latest = await broker.telemetry.listLatest(broker.caller, device.deviceId);
      return latest.length === 3 && latest;
    });
    assert.deepEqual(Object.fromEntries((values ?? []).map((each) => [each.metric, each.value])), {
      first: 1,
      second: true,
      third: "x",
    });
  });

  test("messages sent before a DISCONNECT are stored, even when the client does not wait for acknowledgements", async () => {
    const device = await broker.enroll();
    const client = await rawSession(broker, device);
    const packets = Array.from({ length: 50 }, (_, n) => publishPacket(device.topic, `{"m${n}":1}`));
    client.send(...packets, [0xe0, 0]);
    await client.ended;
    await broker.stored();
    assert.equal((await broker.telemetry.listLatest(broker.caller, device.deviceId)).length, 50);
  });

  test("a publish to any other topic closes the connection and is recorded in the journal, but not acknowledged or stored", async () => {
    const caller = await broker.newTenant();
    const device = await broker.enroll({ caller });
    const other = await broker.enroll({ caller });
    const foreign = await broker.enroll();
    const wrong = [
      `${device.topic}/x`,
      `${device.topic}/`,
      `/${device.topic}`,
      `x/${device.topic}`,
      device.topic.toUpperCase(),
      device.topic.slice(0, -1),
      `${device.topic} `,
      other.topic,
      foreign.topic,
      `$share/g/${device.topic}`,
      "$SYS/muster/heartbeat",
      device.filter,
    ];
    for (const topic of wrong) {
      const client = await connect(broker, device);
      let acknowledged = false;
      client.publish(topic, '{"wrong":1}', { qos: 1 }, (error) => {
        acknowledged = error === null || error === undefined;
      });
      await closed(client);
      client.end(true);
      assert.equal(acknowledged, false, topic);
    }
    await broker.stored();
    for (const [owner, { deviceId }] of [
      [caller, device],
      [caller, other],
      [broker.caller, foreign],
    ] as const) {
      assert.deepEqual(await broker.telemetry.listLatest(owner, deviceId), []);
    }
    const { items } = await broker.connections.listRefusals(caller, { skip: 0, limit: 100 });
    assert.deepEqual(new Set(items.map(({ topic }) => topic)), new Set(wrong));
    assert.deepEqual(new Set(items.map(({ reason }) => reason)), new Set(["topic_not_authorised"]));
  });

  test("a device without topics may connect but not publish", async () => {
    const { id } = await broker.devices.createDevice(broker.caller, { name: "typeless" });
    const bundle = await broker.enrollment.issueBundle(broker.caller, { deviceId: id });
    assert.deepEqual(bundle.publishTopics, []);
    const client = await connect(broker, {
      deviceId: id,
      fullchain: bundle.clientCertPem + bundle.clientCertChainPem,
      key: bundle.privateKeyPem,
      ca: broker.authorities.serverCaBundlePem(),
    });
    client.publish(`t/${broker.caller.tenantSlug}/telemetry/${id}`, "{}", { qos: 0 });
    await closed(client);
  });

  test("a will on a topic of the device is stored and delivered when the connection breaks, and discarded after a DISCONNECT", async () => {
    const device = await broker.enroll();
    const watcher = await connectGateway(broker, { subscribe: [`t/${broker.caller.tenantSlug}/#`] });
    await watcher.subscribeAsync(`t/${broker.caller.tenantSlug}/#`, { qos: 1 });
    const will = { topic: device.topic, payload: Buffer.from('{"gone":1}'), qos: 1 as const, retain: false };
    const polite = await connect(broker, device, { will });
    await polite.endAsync();
    const broken = await connect(broker, device, { will });
    const arrived = nextMessage(watcher);
    broken.stream.destroy();
    assert.deepEqual(await arrived, { topic: device.topic, payload: '{"gone":1}', retain: false });
    await broker.stored();
    const [value] = await broker.telemetry.listLatest(broker.caller, device.deviceId);
    assert.equal(value?.metric, "gone");
    await watcher.endAsync();
  });

  test("a will on any other topic is refused at the CONNECT and recorded in the journal", async () => {
    const caller = await broker.newTenant();
    const device = await broker.enroll({ caller });
    const victim = await broker.enroll();
    for (const topic of [victim.topic, device.filter, `${device.topic}/x`]) {
      const will = { topic, payload: Buffer.from("{}"), qos: 0 as const, retain: true };
      await assert.rejects(connect(broker, device, { will }), /Not authorized/);
    }
    assert.deepEqual(new Set(await journal(broker, caller)), new Set(["topic_not_authorised"]));
  });

  test("the will of a dropped session is not published", async () => {
    const device = await broker.enroll();
    const all = `t/${broker.caller.tenantSlug}/#`;
    const markerTopic = `t/${broker.caller.tenantSlug}/marker`;
    const watcher = await connectGateway(broker, { publish: [markerTopic], subscribe: [all] });
    await watcher.subscribeAsync(all, { qos: 1 });
    const seen: string[] = [];
    watcher.on("message", (topic) => seen.push(topic));
    const will = { topic: device.topic, payload: Buffer.from('{"gone":1}'), qos: 1 as const, retain: false };
    const client = await connect(broker, device, { will });
    await broker.enrollment.revokeCertificate(broker.caller, device.certificateId);
    await closed(client);
    const marker = nextMessage(watcher);
    await watcher.publishAsync(markerTopic, "m", { qos: 1 });
    await marker;
    assert.deepEqual(seen, [markerTopic]);
    await broker.stored();
    assert.deepEqual(await broker.telemetry.listLatest(broker.caller, device.deviceId), []);
    await watcher.endAsync();
  });

  test("a retained message on a topic of the device is delivered to a later subscriber", async () => {
    const device = await broker.enroll();
    const client = await connect(broker, device);
    await client.publishAsync(device.topic, '{"kept":1}', { qos: 1, retain: true });
    const watcher = await connectGateway(broker, { subscribe: [device.topic] });
    const arrived = nextMessage(watcher);
    await watcher.subscribeAsync(device.topic, { qos: 1 });
    assert.deepEqual(await arrived, { topic: device.topic, payload: '{"kept":1}', retain: true });
    client.publish(device.filter, "{}", { qos: 0, retain: true });
    await closed(client);
    await watcher.endAsync();
  });

  test("subscriptions are granted for exactly the listed filters", async () => {
    const device = await broker.enroll();
    const other = await broker.enroll();
    const client = await connect(broker, device);
    const slug = broker.caller.tenantSlug;
    const refused = ["#", "+/+/+/+", "$SYS/#", "$share/g/#", `$share/g/${device.filter}`, `t/${slug}/#`, other.filter];
    for (const filter of [...refused, `${device.filter}/#`, device.filter.toUpperCase(), device.topic]) {
      await assert.rejects(client.subscribeAsync(filter, { qos: 1 }), /Unspecified error|128/, filter);
    }
    const [granted] = await client.subscribeAsync(device.filter, { qos: 1 });
    assert.equal(granted?.qos, 1);
    const arrived = nextMessage(client);
    const sender = await connectGateway(broker, { publish: [other.filter, device.filter] });
    await sender.publishAsync(other.filter, "not yours", { qos: 1 });
    await sender.publishAsync(device.filter, "yours", { qos: 1 });
    assert.equal((await arrived).payload, "yours");
    await sender.endAsync();
    await client.endAsync();
  });
}
