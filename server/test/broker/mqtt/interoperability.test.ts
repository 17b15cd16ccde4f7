import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type mqtt from "mqtt";
import { packet } from "../packets.ts";
import { connectTo, type TestClient } from "../permissive/mqtt-client.ts";
import { createPermissiveBroker } from "../permissive/permissive-broker.ts";
import { newTopics, publishEach } from "../permissive/suite-topics.ts";
import { TcpClient } from "../permissive/tcp-client.ts";
import { connackOf } from "../vectors/vector.ts";

/**
 * The requirements of interoperability suites for MQTT 3.1.1 and 5, with a client library and, for packets that it
 * hides, without one.
 */
const broker = createPermissiveBroker(0);
let port: number;

before(async () => {
  ({ port } = await broker.start());
});
after(() => broker.stop());

const BOTH = [4, 5] as const;
/** Longer than any test. */
const LASTING = 99_999;

const lasting = (protocolVersion: 4 | 5, clientId: string): mqtt.IClientOptions => ({
  protocolVersion,
  clientId,
  clean: false,
  ...(protocolVersion === 5 ? { properties: { sessionExpiryInterval: LASTING } } : {}),
});

const payloads = (client: TestClient) => client.messages.map(({ payload }) => payload);

for (const protocolVersion of BOTH) {
  describe(`MQTT version ${protocolVersion}`, () => {
    const open = (options: mqtt.IClientOptions = {}) => connectTo(port, { protocolVersion, ...options });

    test("a client receives its own messages at every QoS", async () => {
      const { root } = newTopics();
      const own = await open();
      assert.equal(own.connack.sessionPresent, false);
      await own.client.subscribeAsync(root, { qos: 2 });
      await publishEach(own, [root, root, root]);
      await own.arrived(3);
      assert.deepEqual(payloads(own).sort(), ["qos 0", "qos 1", "qos 2"]);
      await own.client.endAsync();
    });

    test("retained messages of every QoS reach a later subscription, until they are removed", async () => {
      const { all, topics: to } = newTopics();
      const own = await open();
      const properties = protocolVersion === 5 ? { properties: { userProperties: { a: "2", c: "3" } } } : {};
      await publishEach(own, to, { retain: true, ...properties });
      await own.client.subscribeAsync(all, { qos: 2 });
      const kept = [...(await own.arrived(3))];
      assert.deepEqual(kept.map(({ qos }) => qos).sort(), [0, 1, 2]);
      if (protocolVersion === 5) {
        const user = kept.map((message) => ({ ...message.properties?.userProperties }));
        assert.deepEqual(user, Array(3).fill({ a: "2", c: "3" }));
      }
      await own.client.unsubscribeAsync(all);
      for (const [qos, topic] of to.entries())
        await own.client.publishAsync(topic, "", { qos: qos as 0, retain: true });
      own.messages.length = 0;
      await own.client.subscribeAsync(all, { qos: 2 });
      await own.client.publishAsync(to[1]!, "end", { qos: 1 });
      await own.arrived(1);
      assert.deepEqual(payloads(own), ["end"]);
      await own.client.endAsync();
    });

    test("the will of a client that falls silent, or whose connection breaks, is published once", async () => {
      const { root } = newTopics();
      const watcher = await open({ keepalive: 0 });
      await watcher.client.subscribeAsync(root, { qos: 2 });
      const will = { topic: root, payload: Buffer.from("will"), qos: 0 as const, retain: false };
      const properties = { willDelayInterval: 0, userProperties: { a: "2", c: "3" } };
      const broken = await open({ will: protocolVersion === 5 ? { ...will, properties } : will });
      broken.break();
      await watcher.arrived(1);
      const silent = new TcpClient(port);
      const none = protocolVersion === 5 ? [0] : [];
      const flags = 6;
      silent.send(packet(0x10, "MQTT", [protocolVersion, flags, 0, 1], none, `${root}-s`, none, root, "silent"));
      await watcher.arrived(2);
      assert.deepEqual(payloads(watcher), ["will", "silent"]);
      const user = { ...watcher.messages[0]!.properties?.userProperties };
      assert.deepEqual(user, protocolVersion === 5 ? { a: "2", c: "3" } : {});
      silent.close();
      await watcher.client.endAsync();
    });

    test("messages of QoS 1 and 2 wait for an offline client", async () => {
      const { root, all, topics: to } = newTopics();
      const away = await open(lasting(protocolVersion, root));
      await away.client.subscribeAsync(all, { qos: 2 });
      await away.client.endAsync();
      const sender = await open();
      await publishEach(sender, to);
      const back = await open({ ...lasting(protocolVersion, root) });
      assert.equal(back.connack.sessionPresent, true);
      await back.arrived(2);
      assert.deepEqual(payloads(back).sort(), ["qos 1", "qos 2"]);
      await Promise.all([back.client.endAsync(), sender.client.endAsync()]);
    });

    test("a message for overlapping subscriptions arrives once, with the highest QoS", async () => {
      const { below, root, topics: to } = newTopics();
      const own = await open();
      await own.client.subscribeAsync({ [below]: { qos: 2 }, [`${root}/a/+`]: { qos: 1 } });
      await own.client.publishAsync(to[2]!, "once", { qos: 2 });
      const [message] = await own.arrived(1);
      assert.deepEqual([message!.qos, own.messages.length], [2, 1]);
      await own.client.endAsync();
    });

    test("unacknowledged messages are sent again when the client is back", async () => {
      const { root } = newTopics();
      const expiry = protocolVersion === 5 ? [5, 0x11, 0, 0, 0xff, 0xff] : [];
      const none = protocolVersion === 5 ? [0] : [];
      const connect = packet(0x10, "MQTT", [protocolVersion, 0, 0, 60], expiry, root);
      const publish = (first: number, id: number) => packet(first, root, [0, id], none, [id]);
      const paused = new TcpClient(port);
      const connack = connackOf(protocolVersion);
      paused.send(Buffer.concat([connect, packet(0x82, [0, 9], none, root, [2])]));
      await paused.take(connack.length + packet(0x90, [0, 9], none, [2]).length);
      const sender = await open();
      for (const qos of [1, 2] as const) await sender.client.publishAsync(root, Buffer.of(qos), { qos });
      const messages = [publish(0x32, 1), publish(0x34, 2)];
      assert.deepEqual(await paused.take(2 * messages[0]!.length), Buffer.concat(messages));
      paused.send(packet(0xe0));
      await paused.take(1);
      const back = new TcpClient(port);
      back.send(connect);
      const present = Buffer.from(connack);
      present[2] = 1;
      const again = [publish(0x3a, 1), publish(0x3c, 2)];
      const expected = Buffer.concat([present, ...again]);
      assert.deepEqual(await back.take(expected.length), expected);
      back.close();
      await sender.client.endAsync();
    });

    test("a refused subscription is answered with 0x80", async () => {
      const own = await open();
      const codes = new Promise<unknown>((resolve) =>
        own.client.on("packetreceive", (received) => received.cmd === "suback" && resolve(received.granted)),
      );
      await own.client.subscribeAsync("test/nosubscribe", { qos: 2 }).catch(() => undefined);
      assert.deepEqual(await codes, [0x80]);
      await own.client.endAsync();
    });

    test("leading wildcards do not match topics with $", async () => {
      const own = await open({ keepalive: 0 });
      const { root } = newTopics();
      await own.client.subscribeAsync("+/dollar", { qos: 2 });
      await own.client.publishAsync(`$${root}/dollar`, "hidden", { qos: 1 });
      await own.client.publishAsync(`${root}/dollar`, "end", { qos: 1 });
      await own.arrived(1);
      assert.deepEqual(payloads(own), ["end"]);
      await own.client.endAsync();
    });

    test("an ended subscription receives nothing, and the others continue", async () => {
      const { topics: to } = newTopics();
      const [own, sender] = [await open(), await open()];
      for (const topic of to) await own.client.subscribeAsync(topic, { qos: 2 });
      await own.client.unsubscribeAsync(to[0]!);
      for (const topic of to) await sender.client.publishAsync(topic, topic, { qos: 1 });
      await own.arrived(2);
      assert.deepEqual(payloads(own), to.slice(1));
      await Promise.all([own.client.endAsync(), sender.client.endAsync()]);
    });

    test("an empty client id is replaced, in MQTT 3.1.1 only with a clean session", async () => {
      const assigned = await open({ clientId: "", clean: true });
      if (protocolVersion === 4) {
        const refused = new TcpClient(port);
        refused.send(packet(0x10, "MQTT", [4, 0, 0, 60], ""));
        assert.deepEqual(await refused.take(5), Buffer.of(0x20, 2, 0, 2));
      } else {
        const client = new TcpClient(port);
        client.send(packet(0x10, "MQTT", [5, 0, 0, 60], [0], ""));
        assert.equal((await client.take(4))[3], 0);
        client.close();
        assert.notEqual(assigned.connack.properties?.assignedClientIdentifier ?? "", "");
      }
      await assigned.client.endAsync();
    });
  });
}
