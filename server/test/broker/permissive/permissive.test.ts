import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { after, before, test } from "node:test";
import mqtt from "mqtt";
import { connect5, NONE, properties } from "../mqtt5.ts";
import { packet } from "../packets.ts";
import { createPermissiveBroker } from "./permissive-broker.ts";

const broker = createPermissiveBroker(0);
let port: number;

before(async () => {
  ({ port } = await broker.start());
});
after(() => broker.stop());

/** Sends packets over plain TCP. Resolves with the answer once it has this many bytes. */
async function answersTo(bytes: number, ...packets: Buffer[]): Promise<Buffer> {
  const socket = connectSocket({ host: "127.0.0.1", port });
  let received = Buffer.alloc(0);
  socket.write(Buffer.concat(packets));
  while (received.length < bytes) received = Buffer.concat([received, (await once(socket, "data"))[0] as Buffer]);
  socket.destroy();
  return received;
}

const LIMITS = [0x22, 0, 10, 0x27, 0, 0x1e, 0x84, 0x80, 0x21, 0, 20];

test("the permissive broker's CONNACK has the limits that external suites compare byte by byte", async () => {
  const connack = await answersTo(16, connect5("any name at all, even a longer one"));
  assert.deepEqual([...connack], [0x20, 14, 0, 0, 11, ...LIMITS]);
});

test("the permissive broker assigns client ids, and refuses topics that are reserved for brokers", async () => {
  const connack = await answersTo(40, connect5(""));
  assert.deepEqual([...connack.subarray(0, 9)], [0x20, 38, 0, 0, 35, 0x12, 0, 21, 0x61]);
  assert.deepEqual(connack.subarray(-LIMITS.length), Buffer.from(LIMITS));
  const clean = (flags: number) => packet(0x10, "MQTT", [4, flags, 0, 60], "");
  assert.deepEqual([...(await answersTo(4, clean(2)))], [0x20, 2, 0, 0]);
  assert.deepEqual([...(await answersTo(4, clean(0)))], [0x20, 2, 0, 2], "[MQTT-3.1.3-8] of MQTT 3.1.1");
  const will = connect5("will", { flags: 6, rest: [NONE, "$SYS/uptime", ""] });
  assert.deepEqual([...(await answersTo(5, will))], [0x20, 3, 0, 0x87, 0]);
  const publish = (topic: string) => packet(0x34, topic, [0, 1], properties([1, 1]));
  for (const [topic, answer] of [
    ["$SYS/broker/uptime", [0x50, 3, 0, 1, 0x87]],
    ["$share/g/t", [0x50, 3, 0, 1, 0x87]],
    ["$SYS/broker/connection/me/state", [0x50, 2, 0, 1]],
    ["$anything", [0x50, 2, 0, 1]],
  ] as const) {
    const all = await answersTo(16 + answer.length, connect5("publisher"), publish(topic));
    assert.deepEqual([...all.subarray(16)], answer, topic);
  }
});

test("the permissive broker allows publishing and subscribing to anything but test/nosubscribe, in every version", async () => {
  for (const protocolVersion of [3, 4, 5] as const) {
    const protocolId = protocolVersion === 3 ? "MQIsdp" : "MQTT";
    const client = mqtt.connect({
      protocol: "mqtt",
      host: "127.0.0.1",
      port,
      protocolVersion,
      protocolId,
      reconnectPeriod: 0,
    });
    await new Promise((resolve) => client.once("connect", resolve));
    const granted = await client.subscribeAsync("#", { qos: 2 });
    assert.equal(granted[0]?.qos, 2);
    const refused = new Promise((resolve) =>
      client.on(
        "packetreceive",
        (received) => received.cmd === "suback" && resolve([...(received.granted as number[])]),
      ),
    );
    await client.subscribeAsync("test/nosubscribe").catch(() => undefined);
    assert.deepEqual(await refused, [0x80]);
    const arrived = new Promise<string>((resolve) =>
      client.once("message", (_topic, payload) => resolve(`${payload}`)),
    );
    await client.publishAsync("any/topic", `from ${protocolVersion}`, { qos: 2 });
    assert.equal(await arrived, `from ${protocolVersion}`);
    await client.endAsync();
  }
});
