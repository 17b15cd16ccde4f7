import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../../../src/broker/codec/cursor.ts";
import { PacketProblem } from "../../../src/broker/codec/problem.ts";
import { readConnect } from "../../../src/broker/codec/read-connect.ts";
import { LastTopic } from "../../../src/broker/codec/read-publish.ts";
import { connackCode } from "../../../src/broker/policy/answers.ts";
import { packet, readPacket, utf8 } from "../packets.ts";

/** Returns a packet whose body is where its header says. The tests of the frame reader cover the header. */
function frame(bytes: Buffer): Frame {
  let at = 1;
  while (bytes[at]! >= 128) at++;
  return { first: bytes[0]!, bytes, bodyStart: at + 1, end: bytes.length };
}

const connect = (...parts: (string | number[])[]) => packet(0x10, ...parts);

test("a CONNECT is read with all its fields", () => {
  const bytes = connect("MQTT", [4, 0xf6, 0, 60], "pump-1", "t/a/status/pump-1", [0, 2, 0, 255], "user", [0, 1, 7]);
  assert.deepEqual(readConnect(frame(bytes)), {
    version: 4,
    clientId: "pump-1",
    clean: true,
    keepAlive: 60,
    properties: undefined,
    will: { topic: "t/a/status/pump-1", payload: Buffer.of(0, 255), qos: 2, retain: true },
    username: "user",
    password: Buffer.of(7),
  });
  assert.deepEqual(readConnect(frame(connect("MQIsdp", [3, 2, 0xff, 0xff], "x".repeat(23)))), {
    version: 3,
    clientId: "x".repeat(23),
    clean: true,
    keepAlive: 65535,
    properties: undefined,
    will: undefined,
    username: undefined,
    password: undefined,
  });
});

test("a will does not share the memory of its packet", () => {
  const bytes = connect("MQTT", [4, 6, 0, 60], "pump-1", "t", "will");
  const { will } = readConnect(frame(bytes));
  bytes.fill(0);
  assert.equal(will?.payload.toString(), "will");
});

test("packets are read with all their fields", () => {
  const cases: [Buffer, unknown][] = [
    [packet(0x30, "t/a", [1, 2]), { topic: "t/a", qos: 0, retain: false, packetId: 0, payload: Buffer.of(1, 2) }],
    [packet(0x3d, "t", [255, 254]), { topic: "t", qos: 2, retain: true, packetId: 0xfffe, payload: Buffer.alloc(0) }],
    [packet(0x40, [1, 2]), 0x102],
    [packet(0x62, [0, 1]), 1],
    [
      packet(0x82, [0, 9], "a/+/#", [1], "#", [0], "+/b", [2]),
      {
        packetId: 9,
        subscriptions: [
          { filter: "a/+/#", qos: 1 },
          { filter: "#", qos: 0 },
          { filter: "+/b", qos: 2 },
        ],
      },
    ],
    [packet(0xa2, [0, 9], "a", "b/#"), { packetId: 9, filters: ["a", "b/#"] }],
    [packet(0xc0), undefined],
  ];
  for (const [bytes, expected] of cases) assert.deepEqual(readPacket(frame(bytes)), expected, bytes.toString("hex"));
});

test("topics in any script are read, including U+FEFF, which is not removed", () => {
  for (const topic of ["größe", "温度", "😀/x", "a\ufeffb", "\ufeff", "x".repeat(256), "/", "a//b", "/".repeat(15)]) {
    const read = readPacket(frame(packet(0x30, utf8(topic)))) as { topic: string };
    assert.equal(read.topic, topic);
  }
});

/** Every statement of MQTT 3.1.1 about what a client must not send, with packets that violate it. */
const FORBIDDEN: [clause: string, what: string, bytes: Buffer][] = [
  ["1.5.3-1", "bad UTF-8", packet(0x30, "t/\xff")],
  ["1.5.3-1", "an overlong slash", packet(0x30, "t\xc0\xaf")],
  ["1.5.3-1", "a surrogate", packet(0x30, "t\xed\xa0\x80")],
  ["1.5.3-1", "a cut sequence", packet(0x30, "t\xe2\x82")],
  ["1.5.3-2", "NUL in a topic", packet(0x30, "t/\0")],
  ["1.5.3", "a line feed in a topic", packet(0x30, "t/\n")],
  ["1.5.3", "DEL in a topic", packet(0x30, "t/\x7f")],
  ["1.5.3", "C1 in a topic", packet(0x30, utf8("t/\u0085"))],
  ["2.3.1-1", "a PUBLISH with packet id 0", packet(0x32, "t", [0, 0])],
  ["2.3.1-1", "a PUBACK with packet id 0", packet(0x40, [0, 0])],
  ["2.3.1-1", "a SUBSCRIBE with packet id 0", packet(0x82, [0, 0], "a", [0])],
  ["2.3.1-1", "an UNSUBSCRIBE with packet id 0", packet(0xa2, [0, 0], "a")],
  ["3.3", "half a packet id", packet(0x32, "t", [1])],
  ["3.3.2-1", "no topic", packet(0x30)],
  ["3.3.2-1", "half a topic length", packet(0x30, [0])],
  ["3.3.2-1", "a topic longer than the packet", packet(0x30, [0, 9, 0x74])],
  ["3.3.2-2", "# in a topic name", packet(0x30, "t/#")],
  ["3.3.2-2", "+ in a topic name", packet(0x30, "t/+/x")],
  ["3.4", "a long PUBACK", packet(0x40, [0, 1, 0])],
  ["3.4", "a short PUBACK", packet(0x40, [1])],
  ["3.8.3-3", "a SUBSCRIBE to nothing", packet(0x82, [0, 1])],
  ["3.8.3-4", "a SUBSCRIBE with QoS 3", packet(0x82, [0, 1], "a", [3])],
  ["3.8.3-4", "a SUBSCRIBE with reserved bits", packet(0x82, [0, 1], "a", [4])],
  ["3.8.3", "a SUBSCRIBE without QoS", packet(0x82, [0, 1], "a")],
  ["3.10.3-2", "an UNSUBSCRIBE from nothing", packet(0xa2, [0, 1])],
  ["3.12", "a PINGREQ with a body", packet(0xc0, [0])],
  ["3.14", "a DISCONNECT with a body", packet(0xe0, [0])],
  ["4.7.1-2", "# that is not last", packet(0x82, [0, 1], "a/#/b", [0])],
  ["4.7.1-2", "# beside other characters", packet(0x82, [0, 1], "a#", [0])],
  ["4.7.1-3", "+ beside other characters", packet(0x82, [0, 1], "a+/b", [0])],
  ["4.7.1-3", "two wildcards in a level", packet(0x82, [0, 1], "a/+#", [0])],
  ["4.7.3-1", "an empty topic", packet(0x30, "")],
  ["4.7.3-1", "an empty filter", packet(0x82, [0, 1], "", [0])],
  ["our limit", "a topic of 257 bytes", packet(0x30, "x".repeat(257))],
  ["our limit", "a topic of 17 levels", packet(0x30, "/".repeat(16))],
  ["our limit", "a filter of 17 levels", packet(0x82, [0, 1], "/".repeat(16), [0])],
  ["our limit", "101 filters", packet(0x82, [0, 1], ...Array.from({ length: 101 }, () => [0, 1, 97, 0]))],
];

test("every packet that MQTT 3.1.1 or a limit forbids is refused", () => {
  for (const [clause, what, bytes] of FORBIDDEN) {
    assert.throws(() => readPacket(frame(bytes)), PacketProblem, `${clause}: ${what}`);
  }
});

/** Forbidden CONNECTs with the CONNACK code that answers them. */
const FORBIDDEN_CONNECTS: [clause: string, what: string, bytes: Buffer, code?: number][] = [
  ["3.1.2-1", "another protocol", connect("MQTX", [4, 2, 0, 60], "a")],
  ["3.1.2-1", "a long protocol name", connect("MQTTMQTT", [4, 2, 0, 60], "a")],
  ["3.1.2-2", "MQTT 6", connect("MQTT", [6, 2, 0, 60], [0], "a"), 0x84],
  ["3.1.2-2", "a bridge's level", connect("MQTT", [0x84, 2, 0, 60], "a"), 0x84],
  ["3.1.2-2", "MQTT 3.1's level under 3.1.1's name", connect("MQTT", [3, 2, 0, 60], "a"), 1],
  ["3.1.2-3", "the reserved flag", connect("MQTT", [4, 3, 0, 60], "a")],
  ["2.2.2-1", "a CONNECT with a QoS", packet(0x12, "MQTT", [4, 2, 0, 60], "a")],
  ["3.1.2-13", "will QoS without a will", connect("MQTT", [4, 0x0a, 0, 60], "a")],
  ["3.1.2-14", "will QoS 3", connect("MQTT", [4, 0x1e, 0, 60], "a", "t", "p")],
  ["3.1.2-15", "will retain without a will", connect("MQTT", [4, 0x22, 0, 60], "a")],
  ["3.1.2-22", "a password without a user name", connect("MQTT", [4, 0x42, 0, 60], "a", "p")],
  ["3.1.3-4", "bad UTF-8 in the client id", connect("MQTT", [4, 2, 0, 60], "a\xff")],
  ["3.1.3-4", "NUL in the client id", connect("MQTT", [4, 2, 0, 60], "a\0")],
  ["3.1.3-8", "an empty client id", connect("MQTT", [4, 0, 0, 60], ""), 2],
  ["3.1.3-9", "an empty client id, clean", connect("MQTT", [4, 2, 0, 60], ""), 2],
  ["3.1.3", "no client id", connect("MQTT", [4, 2, 0, 60]), 2],
  ["our limit", "a client id of 65 bytes", connect("MQTT", [4, 2, 0, 60], "x".repeat(65)), 2],
  ["MQTT 3.1", "a client id of 24 bytes", connect("MQIsdp", [3, 2, 0, 60], "x".repeat(24)), 2],
  ["3.1.3-10", "NUL in the will topic", connect("MQTT", [4, 6, 0, 60], "a", "t\0", "p")],
  ["3.3.2-2", "a wildcard in the will topic", connect("MQTT", [4, 6, 0, 60], "a", "t/#", "p")],
  ["4.7.3-1", "an empty will topic", connect("MQTT", [4, 6, 0, 60], "a", "", "p")],
  ["3.1.2-9", "no will payload", connect("MQTT", [4, 6, 0, 60], "a", "t")],
  ["3.1.2-19", "no user name where one is announced", connect("MQTT", [4, 0x82, 0, 60], "a")],
  ["3.1.2-21", "no password where one is announced", connect("MQTT", [4, 0xc2, 0, 60], "a", "u")],
  ["3.1.3-11", "bad UTF-8 in the user name", connect("MQTT", [4, 0x82, 0, 60], "a", "\xc3\x28")],
  ["3.1.3", "bytes at the end", connect("MQTT", [4, 2, 0, 60], "a", [0])],
  ["3.1", "nothing in it", connect()],
];

test("every forbidden CONNECT is refused, with a return code if MQTT has one", () => {
  for (const [clause, what, bytes, code] of FORBIDDEN_CONNECTS) {
    const isExpected = (error: unknown) => error instanceof PacketProblem && connackCode(error.problem, 4) === code;
    assert.throws(() => readConnect(frame(bytes)), isExpected, `${clause}: ${what}`);
  }
});

test("a repeated topic is parsed once per client, and any other topic is read correctly", () => {
  const topics = ["a/b", "a/b", "a/c", "a/b", "a/bb", "a", "a/b"];
  const last = new LastTopic();
  const read = topics.map((topic) => (readPacket(frame(packet(0x30, topic)), last) as { topic: string }).topic);
  assert.deepEqual(read, topics);
  assert.throws(() => readPacket(frame(packet(0x30, "a/+")), last), PacketProblem);
  assert.equal((readPacket(frame(packet(0x30, "a/b")), last) as { topic: string }).topic, "a/b");
});
