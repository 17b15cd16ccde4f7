import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MqttClient } from "mqtt";
import { closed, connect, eventually, journal, type MakeEngine, startWorld, type World } from "./world.ts";

/** The next message that arrives at `client`. */
function nextMessage(client: MqttClient): Promise<{ topic: string; payload: string; retain: boolean }> {
  return new Promise((resolve) =>
    client.once("message", (topic, payload, packet) =>
      resolve({ topic, payload: payload.toString(), retain: packet.retain }),
    ),
  );
}

export function topicRules(makeEngine: MakeEngine): void {
  let world: World;
  before(async () => {
    world = await startWorld(makeEngine);
  });
  after(() => world.stop());

  async function gateway(name: string, publish: string[], subscribe: string[]): Promise<MqttClient> {
    const clientId = `gw-${name}`;
    const { password } = await world.connections.createMqttClient(world.caller, {
      clientId,
      username: clientId,
      publish,
      subscribe,
    });
    const ca = world.authorities.serverCaBundlePem();
    return await connect(world, { ca, deviceId: clientId }, { username: clientId, password });
  }

  test("messages of every QoS on an own topic are stored", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    await client.publishAsync(device.topic, '{"first":1}', { qos: 2 });
    await client.publishAsync(device.topic, '{"second":true}', { qos: 1 });
    await client.publishAsync(device.topic, '{"third":"x"}', { qos: 0 });
    await client.endAsync();
    const values = await eventually(async () => {
      const latest = await world.telemetry.listLatest(world.caller, device.deviceId);
      return latest.length === 3 && latest;
    });
    assert.deepEqual(Object.fromEntries((values ?? []).map((each) => [each.metric, each.value])), {
      first: 1,
      second: true,
      third: "x",
    });
  });

  test("a publish to any other topic closes the connection, is not acknowledged, not stored, and journalled", async () => {
    const caller = await world.newTenant();
    const device = await world.enroll({ caller });
    const other = await world.enroll({ caller });
    const stranger = await world.enroll();
    const wrong = [
      `${device.topic}/x`,
      `${device.topic}/`,
      `/${device.topic}`,
      `x/${device.topic}`,
      device.topic.toUpperCase(),
      device.topic.slice(0, -1),
      `${device.topic} `,
      other.topic,
      stranger.topic,
      `$share/g/${device.topic}`,
      "$SYS/muster/heartbeat",
      device.filter,
    ];
    for (const topic of wrong) {
      const client = await connect(world, device);
      let acknowledged = false;
      client.publish(topic, '{"wrong":1}', { qos: 1 }, (error) => {
        acknowledged = error === null || error === undefined;
      });
      await closed(client);
      client.end(true);
      assert.equal(acknowledged, false, topic);
    }
    for (const [owner, { deviceId }] of [
      [caller, device],
      [caller, other],
      [world.caller, stranger],
    ] as const) {
      assert.deepEqual(await world.telemetry.listLatest(owner, deviceId), []);
    }
    const { items } = await world.connections.listRefusals(caller, { skip: 0, limit: 100 });
    assert.deepEqual(new Set(items.map(({ topic }) => topic)), new Set(wrong));
    assert.deepEqual(new Set(items.map(({ reason }) => reason)), new Set(["topic_not_authorised"]));
  });

  test("a device without topics may connect and publish nowhere", async () => {
    const { id } = await world.devices.createDevice(world.caller, { name: "typeless" });
    const bundle = await world.enrollment.issueBundle(world.caller, { deviceId: id });
    assert.deepEqual(bundle.publishTopics, []);
    const client = await connect(world, {
      deviceId: id,
      fullchain: bundle.clientCertPem + bundle.clientCertChainPem,
      key: bundle.privateKeyPem,
      ca: world.authorities.serverCaBundlePem(),
    });
    client.publish(`t/${world.caller.tenantSlug}/telemetry/${id}`, "{}", { qos: 0 });
    await closed(client);
  });

  test("a will on an own topic is stored and delivered when the connection breaks, and void after a DISCONNECT", async () => {
    const device = await world.enroll();
    const watcher = await gateway("wills", [], [`t/${world.caller.tenantSlug}/#`]);
    await watcher.subscribeAsync(`t/${world.caller.tenantSlug}/#`, { qos: 1 });
    const will = { topic: device.topic, payload: Buffer.from('{"gone":1}'), qos: 1 as const, retain: false };
    const polite = await connect(world, device, { will });
    await polite.endAsync();
    const broken = await connect(world, device, { will });
    const arrived = nextMessage(watcher);
    broken.stream.destroy();
    assert.deepEqual(await arrived, { topic: device.topic, payload: '{"gone":1}', retain: false });
    const [value] = await world.telemetry.listLatest(world.caller, device.deviceId);
    assert.equal(value?.metric, "gone");
    await watcher.endAsync();
  });

  test("a will on a foreign topic is refused at the CONNECT and journalled", async () => {
    const caller = await world.newTenant();
    const device = await world.enroll({ caller });
    const victim = await world.enroll();
    for (const topic of [victim.topic, device.filter, `${device.topic}/x`]) {
      const will = { topic, payload: Buffer.from("{}"), qos: 0 as const, retain: true };
      await assert.rejects(connect(world, device, { will }), /Not authorized/);
    }
    assert.deepEqual(new Set(await journal(world, caller)), new Set(["topic_not_authorised"]));
  });

  test("the will of a session that is dropped is not published", async () => {
    const device = await world.enroll();
    const watcher = await gateway("dropped", [], [`t/${world.caller.tenantSlug}/#`]);
    await watcher.subscribeAsync(`t/${world.caller.tenantSlug}/#`, { qos: 1 });
    const seen: string[] = [];
    watcher.on("message", (topic) => seen.push(topic));
    const will = { topic: device.topic, payload: Buffer.from('{"gone":1}'), qos: 1 as const, retain: false };
    const client = await connect(world, device, { will });
    await world.enrollment.revokeCertificate(world.caller, device.certificateId);
    await closed(client);
    const marker = nextMessage(watcher);
    await world.engine.publish(`t/${world.caller.tenantSlug}/marker`, Buffer.from("m"), { qos: 1, retain: false });
    await marker;
    assert.deepEqual(seen, [`t/${world.caller.tenantSlug}/marker`]);
    assert.deepEqual(await world.telemetry.listLatest(world.caller, device.deviceId), []);
    await watcher.endAsync();
  });

  test("a retained message on an own topic reaches whoever subscribes later", async () => {
    const device = await world.enroll();
    const client = await connect(world, device);
    await client.publishAsync(device.topic, '{"kept":1}', { qos: 1, retain: true });
    const watcher = await gateway("retained", [], [device.topic]);
    const arrived = nextMessage(watcher);
    await watcher.subscribeAsync(device.topic, { qos: 1 });
    assert.deepEqual(await arrived, { topic: device.topic, payload: '{"kept":1}', retain: true });
    client.publish(device.filter, "{}", { qos: 0, retain: true });
    await closed(client);
    await watcher.endAsync();
  });

  test("subscriptions are granted for the listed filters and no other", async () => {
    const device = await world.enroll();
    const other = await world.enroll();
    const client = await connect(world, device);
    const slug = world.caller.tenantSlug;
    const refused = ["#", "+/+/+/+", "$SYS/#", "$share/g/#", `$share/g/${device.filter}`, `t/${slug}/#`, other.filter];
    for (const filter of [...refused, `${device.filter}/#`, device.filter.toUpperCase(), device.topic]) {
      await assert.rejects(client.subscribeAsync(filter, { qos: 1 }), /Unspecified error|128/, filter);
    }
    const [granted] = await client.subscribeAsync(device.filter, { qos: 1 });
    assert.equal(granted?.qos, 1);
    const arrived = nextMessage(client);
    await world.engine.publish(other.filter, Buffer.from("not yours"), { qos: 1, retain: false });
    await world.engine.publish(device.filter, Buffer.from("yours"), { qos: 1, retain: false });
    assert.equal((await arrived).payload, "yours");
    await client.endAsync();
  });

  test("nothing of another tenant reaches a client, not even under its own client id's old subscriptions", async () => {
    const device = await world.enroll();
    const persistent = await connect(world, device, { clean: false });
    await persistent.subscribeAsync(device.filter, { qos: 1 });
    await persistent.endAsync();
    const again = await connect(world, device, { clean: false, resubscribe: false });
    let arrived = 0;
    again.on("message", () => arrived++);
    await world.engine.publish(device.filter, Buffer.from("1"), { qos: 1, retain: false });
    await again.publishAsync(device.topic, "{}", { qos: 1 });
    assert.equal(arrived, 0, "a session ends with its connection");
    await again.endAsync();
  });
}
