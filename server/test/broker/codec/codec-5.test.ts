import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Cursor, type Frame } from "../../../src/broker/codec/cursor.ts";
import { PacketProblem } from "../../../src/broker/codec/problem.ts";
import { PROPERTY_RULES, type Properties, type PropertyHolder } from "../../../src/broker/codec/property-table.ts";
import { readAck5 } from "../../../src/broker/codec/read-acks.ts";
import { readConnect } from "../../../src/broker/codec/read-connect.ts";
import { readDisconnect5 } from "../../../src/broker/codec/read-disconnect.ts";
import { readProperties } from "../../../src/broker/codec/read-properties.ts";
import { LastTopic, readPublish5 } from "../../../src/broker/codec/read-publish.ts";
import { readSubscribe5, readUnsubscribe5 } from "../../../src/broker/codec/read-subscribe5.ts";
import { writeProperties } from "../../../src/broker/codec/write-properties.ts";
import type { ProtocolProblem } from "../../../src/broker/policy/answers.ts";
import { packet } from "../packets.ts";

type Parts = (string | number[])[];

/** Returns a packet whose body is where its header says. */
function frame(bytes: Buffer): Frame {
  let at = 1;
  while (bytes[at]! >= 128) at++;
  return { first: bytes[0]!, bytes, bodyStart: at + 1, end: bytes.length };
}

/** Returns short properties as a part of a packet, after their length. */
function props(...parts: Parts): number[] {
  const bytes = [...packet(0, ...parts).subarray(2)];
  return [bytes.length, ...bytes];
}

const NONE = [0];
const connect = (properties: number[], ...rest: Parts) => packet(0x10, "MQTT", [5, 2, 0, 60], properties, "a", ...rest);
const publish = (topic: string, properties: number[]) => packet(0x32, topic, [0, 1], properties, [1, 2]);
const readPublish = (bytes: Buffer) => readPublish5(frame(bytes), new LastTopic());

test("a CONNECT of MQTT 5 is read with its properties and those of its will", () => {
  const properties = props([0x11, 0, 0, 0, 10, 0x21, 0, 20, 0x22, 0, 5, 0x27, 0, 1, 0, 0, 0x17, 0, 0x19, 1]);
  const will = props(
    [0x18, 0, 0, 0, 7, 0x01, 1, 0x02, 0, 0, 0, 9, 0x03],
    "text/plain",
    [0x08],
    "t/a/answer",
    [0x09],
    "id",
  );
  const bytes = packet(0x10, "MQTT", [5, 0x46, 0, 60], properties, "pump-1", will, "t/a", "will", "password");
  assert.deepEqual(readConnect(frame(bytes)), {
    version: 5,
    clientId: "pump-1",
    clean: true,
    keepAlive: 60,
    properties: {
      sessionExpiry: 10,
      receiveMaximum: 20,
      topicAliasMaximum: 5,
      maximumPacketSize: 65_536,
      requestProblem: 0,
      requestResponse: 1,
    },
    will: {
      topic: "t/a",
      payload: Buffer.from("will"),
      qos: 0,
      retain: false,
      properties: {
        willDelay: 7,
        payloadFormat: 1,
        messageExpiry: 9,
        contentType: "text/plain",
        responseTopic: "t/a/answer",
        correlationData: Buffer.from("id"),
      },
    },
    username: undefined,
    password: Buffer.from("password"),
  });
});

test("packets of MQTT 5 are read with their properties, reason codes and options", () => {
  assert.deepEqual(readPublish(publish("t/a", props([0x26], "k", "v", [0x26], "k", "w", [0x23, 0, 3]))), {
    topic: "t/a",
    qos: 1,
    retain: false,
    packetId: 1,
    payload: Buffer.of(1, 2),
    properties: {
      userProperties: [
        ["k", "v"],
        ["k", "w"],
      ],
      topicAlias: 3,
    },
  });
  assert.equal(readPublish(publish("", props([0x23, 0, 3]))).topic, "");
  assert.deepEqual(readAck5(frame(packet(0x40, [1, 2]))), { packetId: 0x102, reason: 0 });
  assert.deepEqual(readAck5(frame(packet(0x50, [0, 1, 0x97]))), { packetId: 1, reason: 0x97 });
  assert.deepEqual(readAck5(frame(packet(0x62, [0, 1, 0x92], props([0x1f], "why")))), { packetId: 1, reason: 0x92 });
  assert.deepEqual(readSubscribe5(frame(packet(0x82, [0, 9], props([0x0b, 0x80, 1]), "a/#", [0x2d], "b", [2]))), {
    packetId: 9,
    properties: { subscriptionId: 128 },
    subscriptions: [
      { filter: "a/#", qos: 1, noLocal: true, retainAsPublished: true, retainHandling: 2 },
      { filter: "b", qos: 2, noLocal: false, retainAsPublished: false, retainHandling: 0 },
    ],
  });
  assert.deepEqual(readUnsubscribe5(frame(packet(0xa2, [0, 9], NONE, "a"))), { packetId: 9, filters: ["a"] });
  assert.deepEqual(readDisconnect5(frame(packet(0xe0))), { reason: 0, properties: undefined });
  assert.deepEqual(readDisconnect5(frame(packet(0xe0, [4], props([0x11, 0, 0, 0, 0])))), {
    reason: 4,
    properties: { sessionExpiry: 0 },
  });
});

/** Packets that MQTT 5 forbids, with the problem that answers them. */
const FORBIDDEN: [clause: string, what: string, read: () => unknown, problem: ProtocolProblem][] = [
  [
    "1.5.5-1",
    "a length of properties in too many bytes",
    () => readConnect(frame(connect([0x80, 0]))),
    "malformed_packet",
  ],
  ["2.2.2.2", "an unknown property", () => readConnect(frame(connect(props([0x7f, 0])))), "malformed_packet"],
  ["2.2.2.2", "a property of another packet", () => readConnect(frame(connect(props([0x23, 0, 1])))), "protocol_error"],
  ["2.2.2.2", "properties longer than the packet", () => readConnect(frame(connect([200]))), "malformed_packet"],
  [
    "2.2.2.2",
    "a property longer than the properties",
    () => readConnect(frame(connect([1, 0x21, 0, 9]))),
    "malformed_packet",
  ],
  ["2.2.2.2", "a text that is not UTF-8", () => readPublish(publish("t", props([0x03], "\xff"))), "malformed_packet"],
  [
    "1.5.7-1",
    "a user property with a null character",
    () => readPublish(publish("t", props([0x26], "k", "\0"))),
    "malformed_packet",
  ],
  [
    "3.1.2.11.2",
    "two session expiries",
    () => readConnect(frame(connect(props([0x11, 0, 0, 0, 1, 0x11, 0, 0, 0, 1])))),
    "protocol_error",
  ],
  ["3.1.2.11.3", "receive maximum 0", () => readConnect(frame(connect(props([0x21, 0, 0])))), "protocol_error"],
  ["3.1.2.11.4", "packet size 0", () => readConnect(frame(connect(props([0x27, 0, 0, 0, 0])))), "protocol_error"],
  ["3.1.2.11.6", "request response 2", () => readConnect(frame(connect(props([0x19, 2])))), "protocol_error"],
  ["3.1.2.11.7", "request problem 2", () => readConnect(frame(connect(props([0x17, 2])))), "protocol_error"],
  [
    "3.1.2.11.9",
    "an authentication method",
    () => readConnect(frame(connect(props([0x15], "SCRAM")))),
    "bad_authentication_method",
  ],
  ["3.1.2.11.10", "authentication data alone", () => readConnect(frame(connect(props([0x16], "x")))), "protocol_error"],
  ["3.1.2-1", "MQTT 6", () => readConnect(frame(packet(0x10, "MQTT", [6, 2, 0, 60], NONE, "a"))), "unknown_version"],
  ["3.3.2-8", "topic alias 0", () => readPublish(publish("t", props([0x23, 0, 0]))), "topic_alias_invalid"],
  ["3.3.2.1", "neither a topic nor an alias", () => readPublish(publish("", NONE)), "malformed_packet"],
  ["3.3.2-4", "payload format 2", () => readPublish(publish("t", props([0x01, 2]))), "protocol_error"],
  [
    "3.3.2-14",
    "a wildcard in the response topic",
    () => readPublish(publish("t", props([0x08], "a/#"))),
    "protocol_error",
  ],
  ["3.3.4-6", "a subscription identifier", () => readPublish(publish("t", props([0x0b, 1]))), "protocol_error"],
  ["3.4.2.1", "a reason code of another packet", () => readAck5(frame(packet(0x40, [0, 1, 0x92]))), "protocol_error"],
  ["3.6.2.1", "a reason code of another packet", () => readAck5(frame(packet(0x62, [0, 1, 0x97]))), "protocol_error"],
  ["2.2.1-3", "packet id 0", () => readAck5(frame(packet(0x62, [0, 0]))), "protocol_error"],
  [
    "3.8.2.1",
    "a property that SUBSCRIBE lacks",
    () => readSubscribe5(frame(packet(0x82, [0, 1], props([0x01, 0]), "a", [0]))),
    "malformed_packet",
  ],
  [
    "3.1.3-4",
    "a client id that is not UTF-8",
    () => readConnect(frame(packet(0x10, "MQTT", [5, 2, 0, 60], NONE, "a\xff"))),
    "identifier_rejected",
  ],
  ["3.4.2.2", "bytes after the properties", () => readAck5(frame(packet(0x40, [0, 1, 0, 0, 0]))), "malformed_packet"],
  [
    "3.8.2.1.2",
    "subscription identifier 0",
    () => readSubscribe5(frame(packet(0x82, [0, 1], props([0x0b, 0]), "a", [0]))),
    "malformed_packet",
  ],
  ["3.8.3-2", "a SUBSCRIBE to nothing", () => readSubscribe5(frame(packet(0x82, [0, 1], NONE))), "malformed_packet"],
  [
    "3.8.3-4",
    "no local on a shared subscription",
    () => readSubscribe5(frame(packet(0x82, [0, 1], NONE, "$share/g/a", [4]))),
    "protocol_error",
  ],
  [
    "3.8.3-5",
    "reserved subscription options",
    () => readSubscribe5(frame(packet(0x82, [0, 1], NONE, "a", [0x40]))),
    "malformed_packet",
  ],
  ["3.8.3.1", "QoS 3", () => readSubscribe5(frame(packet(0x82, [0, 1], NONE, "a", [3]))), "malformed_packet"],
  [
    "3.8.3.1",
    "retain handling 3",
    () => readSubscribe5(frame(packet(0x82, [0, 1], NONE, "a", [0x30]))),
    "malformed_packet",
  ],
  [
    "3.10.3-2",
    "an UNSUBSCRIBE from nothing",
    () => readUnsubscribe5(frame(packet(0xa2, [0, 1], NONE))),
    "malformed_packet",
  ],
  ["3.14.2.1", "a reason code of a server", () => readDisconnect5(frame(packet(0xe0, [0x8b]))), "unanswered"],
  [
    "3.14.2.2.5",
    "a server reference",
    () => readDisconnect5(frame(packet(0xe0, [0], props([0x1c], "x")))),
    "unanswered",
  ],
  ["2.2.1-3", "packet id 0", () => readPublish(packet(0x32, "t", [0, 0], NONE)), "protocol_error"],
  ["our limit", "a topic of 17 levels", () => readPublish(publish("/".repeat(16), NONE)), "topic_name_invalid"],
  ["our limit", "a topic of 257 bytes", () => readPublish(publish("x".repeat(257), NONE)), "topic_name_invalid"],
  [
    "our limit",
    "a will topic of 17 levels",
    () => readConnect(frame(packet(0x10, "MQTT", [5, 6, 0, 60], NONE, "a", NONE, "/".repeat(16), ""))),
    "topic_name_invalid",
  ],
  [
    "our limit",
    "a filter of 17 levels",
    () => readSubscribe5(frame(packet(0x82, [0, 1], NONE, "/".repeat(16), [0]))),
    "topic_filter_invalid",
  ],
  [
    "our limit",
    "101 filters",
    () => readSubscribe5(frame(packet(0x82, [0, 1], NONE, ...Array.from({ length: 101 }, () => ["a", [0]]).flat()))),
    "quota_exceeded",
  ],
  ["our limit", "33 user properties", () => readPublish(publish("t", manyUserProperties(33))), "quota_exceeded"],
];

function manyUserProperties(count: number): number[] {
  const one = [...packet(0, [0x26], "", "").subarray(2)];
  const all = Array.from({ length: count }, () => one).flat();
  return [(all.length & 127) | 128, all.length >> 7, ...all];
}

test("every packet that MQTT 5 or a limit forbids is refused, with the problem that answers it", () => {
  for (const [clause, what, read, problem] of FORBIDDEN) {
    const isExpected = (error: unknown) => error instanceof PacketProblem && error.problem === problem;
    assert.throws(read, isExpected, `${clause}: ${what}`);
  }
  assert.equal(readPublish(publish("t", manyUserProperties(32))).properties?.userProperties?.length, 32);
});

test("every property is allowed only in the packets that have it, and at most once", () => {
  const holders = ["connect", "will", "publish", "acknowledgement", "subscribe", "unsubscribe", "disconnect"] as const;
  for (const rule of PROPERTY_RULES) {
    const value = rule.type === "text" ? "t" : rule.type === "binary" ? Buffer.of(7) : 1;
    const one: Properties = { [rule.name]: rule.type === "pair" ? [["k", "v"]] : value };
    for (const holder of holders) {
      const bytes = writeProperties(one);
      if (rule.on.includes(holder)) assert.deepEqual(readAs(bytes, holder), one, `${rule.name} of ${holder}`);
      else assert.throws(() => readAs(bytes, holder), PacketProblem, `${rule.name} of ${holder}`);
      if (rule.type === "pair" || !rule.on.includes(holder)) continue;
      const twice = Buffer.concat([Buffer.of(2 * bytes[0]!), bytes.subarray(1), bytes.subarray(1)]);
      assert.throws(() => readAs(twice, holder), PacketProblem, `${rule.name} twice`);
    }
  }
});

function readAs(bytes: Buffer, holder: PropertyHolder): Properties {
  return readProperties(new Cursor({ first: 0, bytes, bodyStart: 0, end: bytes.length }), holder);
}

test("written properties are read back unchanged", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "ß", "温", "😀", "/"), maxLength: 60 });
  const properties = fc.record(
    {
      payloadFormat: fc.nat(1),
      messageExpiry: fc.nat(0xffffffff),
      contentType: text,
      responseTopic: fc.constant("t/a"),
      correlationData: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      topicAlias: fc.integer({ min: 1, max: 0xffff }),
      userProperties: fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(properties, (all) => assert.deepEqual(readAs(writeProperties(all), "publish"), all)),
    {
      numRuns: 1_000,
      seed: 20261122,
    },
  );
});
