import { packet } from "../packets.ts";
import { BAD_TEXTS, text } from "./packet-vectors.ts";
import { accepts, closes, connackOf, refuses, type Vector, type Version } from "./vector.ts";

type Parts = (string | number[])[];

let clients = 0;

/** Returns a CONNECT with a new client id. */
function connect(version: Version, flags: number, rest: Parts = [], first = 0x10): Buffer {
  const name = version === 3 ? "MQIsdp" : "MQTT";
  const none = version === 5 ? [0] : [];
  return packet(first, name, [version, flags, 0, 10], none, `connects-${++clients}`, ...rest);
}

/** Returns a CONNECT with a level that no version has. MQTT 5 answers it. */
function unknownLevel(name: string, level: number): Vector {
  const bytes = packet(0x10, name, [level, 0, 0, 10], "p");
  return { ...refuses(5, `${name} of level ${level}`, bytes, 0x84) };
}

export function connectVectors(version: Version): Vector[] {
  if (version === 3) return connects31();
  const none = version === 5 ? [0] : [];
  return [
    ...sharedVectors(version),
    unknownLevel("MQTT", 2),
    unknownLevel("MQTT", 6),
    closes(version, "a CONNECT with a length of five bytes", [0x10, 0x80, 0x80, 0x80, 0x80, 0x01], false),
    ...["MQT", "", "MQTTT", "MQTU"].map((name) =>
      closes(version, `the protocol ${name}`, packet(0x10, name, [version, 2, 0, 10], none, "p"), false),
    ),
    ...[1, 2, 4, 8].map((flag) => closes(version, `flags ${flag}`, connect(version, 2, [], 0x10 | flag), false)),
    secondConnect(version),
    ...(version === 5 ? vectors5() : vectors4()),
  ];
}

function connects31(): Vector[] {
  return [
    accepts(3, "a CONNECT with the reserved flag", connect(3, 1)),
    accepts(3, "a CONNECT with QoS 2", connect(3, 1, [], 0x14)),
    accepts(3, "a CONNECT", connect(3, 2)),
    refuses(3, "an empty client id", packet(0x10, "MQIsdp", [3, 2, 0, 10], ""), 2),
    unknownLevel("MQIsdp", 2),
    unknownLevel("MQIsdp", 6),
    closes(3, "a CONNECT with a length of five bytes", [0x10, 0x80, 0x80, 0x80, 0x80, 0x01], false),
  ];
}

/**
 * Returns vectors that both versions treat alike: invalid flags, user names and passwords close the connection without
 * an answer.
 */
function sharedVectors(version: Version): Vector[] {
  const will: Parts = version === 5 ? [[0], "w", "w"] : ["w", "w"];
  return [
    accepts(version, "a CONNECT", connect(version, 2)),
    accepts(version, "a CONNECT with a will", connect(version, 6, will)),
    accepts(version, "an empty user name", connect(version, 0x82, [""])),
    accepts(version, "user name and password", connect(version, 0xc2, ["u", "p"])),
    accepts(version, "U+0000 in a password", connect(version, 0xc2, ["u", "p\0"])),
    closes(version, "the reserved flag", connect(version, 1), false),
    closes(version, "a QoS of no will", connect(version, 0x0a), false),
    closes(version, "another QoS of no will", connect(version, 0x12), false),
    closes(version, "RETAIN of no will", connect(version, 0x22), false),
    closes(version, "a will of QoS 3", connect(version, 0x1e, will), false),
    closes(version, "no user name", connect(version, 0x82), false),
    closes(version, "no password", connect(version, 0xc2, ["u"]), false),
    ...Object.entries(BAD_TEXTS).map(([name, bytes]) =>
      closes(version, `a user name with ${name}`, connect(version, 0x82, [text(bytes)]), false),
    ),
  ];
}

function secondConnect(version: Version): Vector {
  const accepted = accepts(version, "a second CONNECT", connect(version, 2));
  const answer = version === 5 ? [{ receive: Buffer.of(0xe0, 1, 0x82) }] : [];
  return { ...accepted, actions: [...accepted.actions, { send: connect(version, 2) }, ...answer], stays: false };
}

function vectors4(): Vector[] {
  const empty = (flags: number) => packet(0x10, "MQTT", [4, flags, 0, 10], "");
  return [
    accepts(4, "an empty client id", empty(2)),
    refuses(4, "an empty client id of a session that is to be found again", empty(0), 2),
    closes(4, "a CONNECT that ends in its keep alive", packet(0x10, "MQTT", [4, 0xc2, 0]), false),
    closes(4, "no client id", packet(0x10, "MQTT", [4, 2, 0, 10]), false),
    closes(4, "a will without topic and message", connect(4, 6), false),
    closes(4, "a will without a message", connect(4, 6, ["w"]), false),
    closes(4, "a user name without its flag", connect(4, 2, ["u"]), false),
    closes(4, "a password without its flag", connect(4, 0x82, ["u", "p"]), false),
    closes(4, "a password without a user name", connect(4, 0x42, ["p"]), false),
    ...Object.entries(BAD_TEXTS).flatMap(([name, bytes]) => [
      closes(4, `a will topic with ${name}`, connect(4, 6, [text(bytes), "w"]), false),
      closes(4, `a client id with ${name}`, packet(0x10, "MQTT", [4, 2, 0, 10], text(bytes)), false),
    ]),
  ];
}

function vectors5(): Vector[] {
  const withProperties = (...properties: number[]) =>
    packet(0x10, "MQTT", [5, 2, 0, 10], [properties.length, ...properties], `connects-${++clients}`);
  return [
    refuses(5, "a user name without its flag", connect(5, 2, ["u"]), 0x81),
    refuses(5, "a password without its flag", connect(5, 0x82, ["u", "p"]), 0x81),
    ...Object.entries(BAD_TEXTS).map(([name, bytes]) =>
      refuses(5, `a client id with ${name}`, packet(0x10, "MQTT", [5, 2, 0, 10], [0], text(bytes)), 0x85),
    ),
    closes(5, "a client that permits no CONNACK", withProperties(0x27, 0, 0, 0, 2), false),
    closes(5, "a client that permits a DISCONNECT and no CONNACK", withProperties(0x27, 0, 0, 0, 12), false),
    accepts(5, "a client that permits any packet", withProperties(0x27, 0xff, 0xff, 0xff, 0xff)),
    accepts(5, "a client that permits no topic alias", withProperties(0x22, 0, 0)),
    refuses(5, "receive maximum 0", withProperties(0x21, 0, 0), 0x82),
    refuses(5, "maximum packet size 0", withProperties(0x27, 0, 0, 0, 0), 0x82),
    refuses(5, "request response information 2", withProperties(0x19, 2), 0x82),
    refuses(5, "request problem information 2", withProperties(0x17, 2), 0x82),
    // The length of the properties is read as an identifier, so they would end after the packet.
    ...[0x24, 0x25, 0x28, 0x29, 0x2a].map((id) =>
      refuses(5, `the identifier ${id} as a length`, packet(0x10, "MQTT", [5, 2, 0, 10], [id, 1], "p"), 0x81),
    ),
    maximumPacketSize(),
  ];
}

/** Properties that are too long for the client are omitted, and those that fit are sent. */
function maximumPacketSize(): Vector {
  const properties = [5, 0x27, 0, 0, 0, 20];
  const topic = "large";
  return {
    name: "messages for a client that permits 20 bytes",
    version: 5,
    isConnected: false,
    actions: [
      { send: packet(0x10, "MQTT", [5, 2, 0, 10], properties, "connects-large") },
      { receive: connackOf(5) },
      { send: packet(0x82, [0, 1], [0], topic, [0]) },
      { receive: Buffer.of(0x90, 4, 0, 1, 0, 0) },
      { send: packet(0x30, topic, [0], [...Buffer.from("x".repeat(14))]) },
      { send: packet(0x30, topic, [0], [...Buffer.from("x".repeat(7))]) },
      { receive: packet(0x30, topic, [0], [...Buffer.from("x".repeat(7))]) },
    ],
    stays: true,
  };
}
