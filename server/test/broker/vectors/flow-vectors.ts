import { packet } from "../packets.ts";
import type { Action, Vector, Version } from "./vector.ts";

let topics = 0;

/** A client's response to a received message, and its outcome. */
interface Flow {
  name: string;
  qos: 1 | 2;
  /** The client's packets: the first byte of each, and of the answer to it. */
  packets: readonly [sent: number, answer?: number][];
  stays?: true;
}

const [PUBACK, PUBREC, PUBREL, PUBCOMP] = [0x40, 0x50, 0x62, 0x70];

const FLOWS: readonly Flow[] = [
  { name: "PUBACK", qos: 1, packets: [[PUBACK]], stays: true },
  { name: "PUBREC", qos: 1, packets: [[PUBREC]] },
  { name: "PUBCOMP", qos: 1, packets: [[PUBCOMP]] },
  { name: "PUBREC, PUBCOMP", qos: 2, packets: [[PUBREC, PUBREL], [PUBCOMP]], stays: true },
  { name: "PUBACK", qos: 2, packets: [[PUBACK]] },
  { name: "PUBCOMP", qos: 2, packets: [[PUBCOMP]] },
  { name: "PUBREC, PUBACK", qos: 2, packets: [[PUBREC, PUBREL], [PUBACK]] },
  {
    name: "PUBREC twice",
    qos: 2,
    packets: [
      [PUBREC, PUBREL],
      [PUBREC, PUBREL],
    ],
    stays: true,
  },
];

const ID = [0, 1];

/** Returns a message from another client at both QoS levels, with every answer to it, allowed or not. */
export function flowVectors(version: Version): Vector[] {
  return FLOWS.map(({ name, qos, packets, stays = false }) => {
    const topic = `flow/${++topics}`;
    const none = version === 5 ? [0] : [];
    const end: Action[] = stays || version < 5 ? [] : [{ receive: Buffer.of(0xe0, 1, 0x82) }];
    const actions: Action[] = [
      ...subscribed(version, topic, qos),
      { publish: { topic, payload: "message", qos } },
      { receive: packet(0x30 | (qos << 1), topic, ID, none, [...Buffer.from("message")]) },
      ...packets.flatMap(([sent, answer]): Action[] => [
        { send: packet(sent, ID) },
        ...(answer === undefined ? [] : [{ receive: packet(answer, ID) }]),
      ]),
      ...end,
    ];
    return { name: `${name} for a QoS ${qos} message`, version, isConnected: true, actions, stays };
  });
}

function subscribed(version: Version, topic: string, qos: number): Action[] {
  const none = version === 5 ? [0] : [];
  return [{ send: packet(0x82, ID, none, topic, [qos]) }, { receive: packet(0x90, ID, none, [qos]) }];
}

const P = [0, 1, 0x70];

/**
 * Returns properties with which a message comes back to its own client, those that a subscription adds, and those that
 * an alias removes.
 */
const ECHOES: readonly [name: string, sent: number[], received: number[]][] = [
  ["no properties", [], []],
  ["payload format", [1, 1], [1, 1]],
  ["message expiry", [2, 0, 0, 0, 9], [2, 0, 0, 0, 9]],
  ["a content type", [3, ...P], [3, ...P]],
  ["a response topic", [8, ...P], [8, ...P]],
  ["correlation data", [9, ...P], [9, ...P]],
  ["a user property", [0x26, ...P, ...P], [0x26, ...P, ...P]],
  ["a topic alias", [0x23, 0, 1], []],
];

export function echoVectors(): Vector[] {
  const echoes = ECHOES.map(([name, sent, received]): Vector => {
    const topic = `echo/${++topics}`;
    const message = (properties: number[]) => packet(0x30, topic, [properties.length, ...properties], [1, 2]);
    const actions: Action[] = [
      ...subscribed(5, topic, 1),
      { send: message(sent) },
      { receive: message(received) },
      ...(name === "a topic alias"
        ? [{ send: packet(0x30, "", [sent.length, ...sent], [1, 2]) }, { receive: message(received) }]
        : []),
    ];
    return { name: `a message with ${name}`, version: 5, isConnected: true, actions, stays: true };
  });
  const topic = `echo/${++topics}`;
  const identified: Vector = {
    name: "a message for a subscription with an identifier",
    version: 5,
    isConnected: true,
    actions: [
      { send: packet(0x82, ID, [2, 0x0b, 1], topic, [1]) },
      { receive: packet(0x90, ID, [0], [1]) },
      { send: packet(0x30, topic, [0], [1]) },
      { receive: packet(0x30, topic, [2, 0x0b, 1], [1]) },
    ],
    stays: true,
  };
  return [...echoes, identified, ...[4, 3].map((version) => plainEcho(version as Version))];
}

function plainEcho(version: Version): Vector {
  const topic = `echo/${++topics}`;
  const message = packet(0x30, topic, [1, 2]);
  const actions = [...subscribed(version, topic, 1), { send: message }, { receive: message }];
  return { name: "a message to itself", version, isConnected: true, actions, stays: true };
}

/** Returns a QoS 2 message that is repeated before its PUBREL, with another message under its packet id in between. */
export function repeatedVector(): Vector {
  const received = { receive: Buffer.of(0x50, 2, ...ID) };
  const publish = (payload: number[]) => ({ send: packet(0x34, "vectors", ID, payload) });
  const actions = [publish([]), received, publish([1]), received, publish([]), received];
  return { name: "a QoS 2 message and another in turns", version: 4, isConnected: true, actions, stays: true };
}
