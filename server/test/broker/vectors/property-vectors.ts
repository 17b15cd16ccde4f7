import { packet } from "../packets.ts";
import { accepts, closes, ends, refuses, stays, type Vector } from "./vector.ts";

type Type = "byte" | "uint16" | "uint32" | "varint" | "text" | "binary" | "pair";

const ACKS = "puback pubrec pubrel pubcomp";

/** The properties that a client's packets may have (MQTT 5, 2.2.2.2). */
const PROPERTIES: readonly [id: number, type: Type, carriers: string][] = [
  [0x01, "byte", "publish will"],
  [0x02, "uint32", "publish will"],
  [0x03, "text", "publish will"],
  [0x08, "text", "publish will"],
  [0x09, "binary", "publish will"],
  [0x0b, "varint", "subscribe"],
  [0x11, "uint32", "connect disconnect"],
  [0x12, "text", ""],
  [0x13, "uint16", ""],
  [0x15, "text", "connect"],
  [0x16, "binary", "connect"],
  [0x17, "byte", "connect"],
  [0x18, "uint32", "will"],
  [0x19, "byte", "connect"],
  [0x1a, "text", ""],
  [0x1c, "text", "disconnect"],
  [0x1f, "text", `${ACKS} disconnect`],
  [0x21, "uint16", "connect"],
  [0x22, "uint16", "connect"],
  [0x23, "uint16", "publish"],
  [0x24, "byte", ""],
  [0x25, "byte", ""],
  [0x26, "pair", `connect will publish ${ACKS} subscribe unsubscribe disconnect`],
  [0x27, "uint32", "connect"],
  [0x28, "byte", ""],
  [0x29, "byte", ""],
  [0x2a, "byte", ""],
];

/** Unknown property identifiers, and identifiers with a length that is not minimal. */
const UNKNOWN: readonly number[][] = [
  ...[0x00, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x14, 0x1b, 0x1d, 0x1e, 0x20, 0x7f].map(
    (id) => [id],
  ),
  [0x80, 0x00],
  [0x80, 0x01],
  [0xff, 0x7f],
  [0x80, 0x80, 0x01],
  [0xff, 0xff, 0x7f],
  [0x80, 0x80, 0x80, 0x01],
  [0xff, 0xff, 0xff, 0x7f],
  [0x80, 0x80, 0x80, 0x80, 0x01],
];

const P = [0, 1, 0x70];
const ONE: Readonly<Record<Type, number[]>> = {
  byte: [1],
  uint16: [0, 1],
  uint32: [0, 0, 0, 1],
  varint: [1],
  text: P,
  binary: P,
  pair: [...P, ...P],
};
const EMPTY: Partial<Record<Type, number[][]>> = {
  text: [[0, 0]],
  binary: [[0, 0]],
  pair: [
    [0, 0, ...P],
    [...P, 0, 0],
    [0, 0, 0, 0],
  ],
};
/**
 * Properties that must not be 1 here: it would be a limit that every answer exceeds, or a session expiry that the
 * CONNECT did not have.
 */
const VALUES: Readonly<Record<string, number[]>> = { "connect 39": [0x10, 0, 0, 1], "disconnect 17": [0, 0, 0, 0] };

type Build = (properties: number[]) => Buffer;

interface Carrier {
  build: Build;
  /** Returns the outcome of a packet that MQTT allows. */
  allowed: (name: string, bytes: Buffer) => Vector;
  /** Returns the outcome of a packet that MQTT does not allow. */
  refused: (name: string, bytes: Buffer, code: number) => Vector;
  /** The reason code for a property of other packets. Both 0x81 and 0x82 are valid. */
  misplaced: number;
}

const ID = [0, 1];
let clients = 0;

function connectWith(flags: number, properties: number[], will: (number[] | string)[] = []): Buffer {
  return packet(0x10, "MQTT", [5, flags, 0, 10], properties, `properties-${++clients}`, ...will);
}

function withSession(build: Build, answer: number[] | undefined, misplaced = 0x82): Carrier {
  return {
    build,
    allowed: (name, bytes) => stays(5, name, bytes, answer),
    refused: (name, bytes, code) => ends(5, name, bytes, code),
    misplaced,
  };
}

const inConnect = {
  allowed: (name: string, bytes: Buffer) => accepts(5, name, bytes),
  refused: (name: string, bytes: Buffer, code: number) => refuses(5, name, bytes, code),
  misplaced: 0x82,
};

const CARRIERS: Readonly<Record<string, Carrier>> = {
  connect: { ...inConnect, build: (properties) => connectWith(2, properties) },
  will: { ...inConnect, build: (properties) => connectWith(6, [0], [properties, "w", "w"]) },
  publish: withSession(
    (properties) => packet(0x32, "vectors", ID, properties, [...Buffer.from("payload")]),
    [0x40, 3, 0, 1, 0x10],
  ),
  puback: withSession((properties) => packet(0x40, ID, [0], properties), undefined),
  pubrec: withSession((properties) => packet(0x50, ID, [0], properties), [0x62, 2, 0, 1]),
  pubrel: withSession((properties) => packet(0x62, ID, [0], properties), [0x70, 2, 0, 1]),
  pubcomp: withSession((properties) => packet(0x70, ID, [0], properties), undefined),
  subscribe: withSession(
    (properties) => packet(0x82, ID, properties, "vectors/none", [0]),
    [0x90, 4, 0, 1, 0, 0],
    0x81,
  ),
  unsubscribe: withSession(
    (properties) => packet(0xa2, ID, properties, "vectors/none"),
    [0xb0, 4, 0, 1, 0, 0x11],
    0x81,
  ),
  disconnect: {
    build: (properties) => packet(0xe0, [0], properties),
    allowed: (name, bytes) => closes(5, name, bytes),
    refused: (name, bytes, code) => ends(5, name, bytes, code),
    misplaced: 0x82,
  },
};

/**
 * Returns properties that MQTT allows here and the broker refuses: enhanced authentication, and an invalid response
 * topic.
 */
const REFUSED: Readonly<Record<string, number>> = {
  "connect 21": 0x8c,
  "connect 22": 0x82,
  "publish 8 empty": 0x82,
  "will 8 empty": 0x82,
};
/** Returns packets that only servers send, whatever their properties. */
const OF_SERVERS: Readonly<Record<string, Build>> = {
  connack: (properties) => packet(0x20, [0, 0], properties),
  suback: (properties) => packet(0x90, ID, properties, [0]),
  unsuback: (properties) => packet(0xb0, ID, properties, [0]),
  auth: (properties) => packet(0xf0, [0x18], properties),
};

export function propertyVectors(): Vector[] {
  const vectors = Object.entries(CARRIERS).flatMap(([name, carrier]) => [
    ...PROPERTIES.flatMap((property) => vectorsOf(name, carrier, property)),
    ...UNKNOWN.map((id) => {
      const bytes = carrier.build([id.length + 1, ...id, 1]);
      return carrier.refused(`${name}: no property has the identifier ${id.join(" ")}`, bytes, 0x81);
    }),
  ]);
  const ofServers = Object.entries(OF_SERVERS).flatMap(([name, build]) => [
    ...PROPERTIES.flatMap(([id, type]) => [
      ends(5, `${name} with ${id}`, build(sized([id, ...ONE[type]])), 0x82),
      ends(5, `${name} with ${id} without a value`, build([1, id]), 0x82),
    ]),
    ...UNKNOWN.map((id) => ends(5, `${name} with ${id.join(" ")}`, build(sized([...id, 1])), 0x82)),
  ]);
  return [...vectors, ...ofServers];
}

function vectorsOf(name: string, carrier: Carrier, [id, type, carriers]: (typeof PROPERTIES)[number]): Vector[] {
  const { build, allowed, refused, misplaced } = carrier;
  const value = VALUES[`${name} ${id}`] ?? ONE[type];
  const isAllowed = carriers.split(" ").includes(name);
  const outcome = (what: string, bytes: Buffer) => {
    const code = REFUSED[`${name} ${id}${what === "" ? "" : ` ${what}`}`] ?? REFUSED[`${name} ${id}`];
    const title = `${name} with ${id} ${what}`;
    if (!isAllowed) return refused(title, bytes, misplaced);
    return code === undefined ? allowed(title, bytes) : refused(title, bytes, code);
  };
  const empties = (EMPTY[type] ?? []).map((empty) => outcome("empty", build(sized([id, ...empty]))));
  const twice = build(sized([id, ...value, id, ...value]));
  return [
    outcome("", build(sized([id, ...value]))),
    refused(`${name} with ${id} without a value`, build([1, id]), 0x81),
    ...(type === "pair" ? [refused(`${name} with a name without a value`, build(sized([id, ...P])), 0x81)] : []),
    type === "pair" ? outcome("", twice) : refused(`${name} with ${id} twice`, twice, isAllowed ? 0x82 : misplaced),
    ...empties,
  ];
}

/** Returns properties after their length. */
function sized(bytes: number[]): number[] {
  return [bytes.length, ...bytes];
}
