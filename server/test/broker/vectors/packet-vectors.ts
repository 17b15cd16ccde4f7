import { packet } from "../packets.ts";
import { closes, ends, stays, type Vector, type Version } from "./vector.ts";

/** Invalid MQTT texts: ill-formed UTF-8, or control characters. */
export const BAD_TEXTS: Readonly<Record<string, number[]>> = {
  "U+0000": [0x74, 0x00],
  "U+D800": [0x74, 0xed, 0xa0, 0x80],
  "U+DFFF": [0x74, 0xed, 0xbf, 0xbf],
  "U+0001": [0x74, 0x01],
  "U+001F": [0x74, 0x1f],
  "U+007F": [0x74, 0x7f],
  "U+009F": [0x74, 0xc2, 0x9f],
};

/** Returns a field of these bytes in the form that the packet builder accepts. */
export function text(bytes: number[]): string {
  return Buffer.from(bytes).toString("latin1");
}

const ID = [0x04, 0xd2];
const NO_ID = [0, 0];

/** Packets of every type but CONNECT, as a client or server may send them. */
function packetsOf(version: Version): Buffer[] {
  const none = version === 5 ? [0] : [];
  return [
    packet(0x20, [0, 0], none),
    packet(0x30, "vectors", none, [1]),
    packet(0x40, ID),
    packet(0x50, ID),
    packet(0x62, ID),
    packet(0x70, ID),
    packet(0x82, ID, none, "vectors/none", [0]),
    packet(0x90, ID, none, [0]),
    packet(0xa2, ID, none, "vectors/none"),
    packet(0xb0, ID, none),
    packet(0xc0),
    packet(0xd0),
    packet(0xe0),
    packet(0xf0),
  ];
}

/** SUBACK, UNSUBACK and PINGRESP: their flags are checked before the rule that clients do not send them. */
const FIRST_FLAGS = new Set([9, 11, 13]);
const OF_SERVERS = new Set([2, 9, 11, 13, 15]);
const PUBLISH = 3;

/** Returns vectors of packet types, flags and lengths. */
export function headerVectors(version: Version): Vector[] {
  const packets = packetsOf(version);
  const tooLong = (first: number) => [first, 0x80, 0x80, 0x80, 0x80, 0x01];
  return [
    ...[0, 1, 2, 4, 8].flatMap((first) => [
      closes(version, `type 0 as first packet, flags ${first}`, [first, 0], false),
      ends(version, `type 0, flags ${first}`, [first, 0], 0x82),
    ]),
    ends(version, "type 0 with a body", [0, 1, 0], 0x82),
    ends(version, "type 0 before its length", [0x0a, 0xc0], 0x82),
    ends(version, "type 0 with a length of five bytes", tooLong(0), 0x82),
    ...packets.flatMap((bytes) => [
      closes(version, `type ${bytes[0]! >> 4} as first packet`, bytes, false),
      closes(version, `type ${bytes[0]! >> 4} with a length of five bytes`, tooLong(bytes[0]!)),
      ...flagVectors(version, bytes),
    ]),
    ends(version, "a server's CONNACK", packet(0x20, [0, 0]), 0x82),
    ends(version, "a server's SUBACK", packet(0x90, ID, [0]), 0x82),
    ends(version, "a server's empty SUBACK", packet(0x90), 0x82),
    ends(version, "a server's UNSUBACK", packet(0xb0, ID), 0x82),
    ends(version, "a server's PINGRESP", packet(0xd0), 0x82),
    ends(version, "AUTH", packet(0xf0), 0x82),
    ends(version, "AUTH with a body", packet(0xf0, [0]), 0x82),
    closes(version, "a PINGRESP with a body", packet(0xd0, [0])),
    closes(version, "a PINGREQ with a body", packet(0xc0, [0])),
    stays(version, "a PINGREQ", packet(0xc0), [0xd0, 0]),
  ];
}

function flagVectors(version: Version, bytes: Buffer): Vector[] {
  const type = bytes[0]! >> 4;
  if (type === PUBLISH) return [];
  const code = OF_SERVERS.has(type) && !FIRST_FLAGS.has(type) ? 0x82 : 0x81;
  return [1, 2, 4, 8].map((flag) => {
    const flagged = Buffer.from(bytes);
    flagged[0]! ^= flag;
    return ends(version, `type ${type} with its flags changed by ${flag}`, flagged, code);
  });
}

/** Returns PUBACK, PUBREC, PUBREL and PUBCOMP that belong to no message. */
export function ackVectors(version: Version): Vector[] {
  const answers: [first: number, answer: number[] | undefined][] = [
    [0x40, undefined],
    [0x50, [0x62, 2, ...ID]],
    [0x62, [0x70, 2, ...ID]],
    [0x70, undefined],
  ];
  return answers.flatMap(([first, answer]) => {
    const name = `type ${first >> 4}`;
    const shared = [
      stays(version, `${name} alone`, packet(first, ID), answer),
      ends(version, `${name} with packet id 0`, packet(first, NO_ID), 0x82),
      ends(version, `${name} without a body`, packet(first), 0x81),
      ends(version, `${name} of one byte`, packet(first, [1]), 0x81),
    ];
    if (version < 5) return [...shared, closes(version, `${name} that is too long`, packet(first, ID, [0]))];
    return [...shared, ...ackReasons(first, name, answer)];
  });
}

function ackReasons(first: number, name: string, answer: number[] | undefined): Vector[] {
  const isRelease = first === 0x62 || first === 0x70;
  const failure = isRelease ? 0x92 : 0x80;
  // A PUBREC with a failure has no PUBREL.
  const answerToFailure = first === 0x50 ? undefined : answer;
  return [
    stays(5, `${name} with success`, packet(first, ID, [0]), answer),
    stays(5, `${name} with success and properties`, packet(first, ID, [0, 0]), answer),
    stays(5, `${name} with a failure`, packet(first, ID, [failure]), answerToFailure),
    stays(5, `${name} with a failure and properties`, packet(first, ID, [failure, 0]), answerToFailure),
    ends(5, `${name} with an unknown reason`, packet(first, ID, [0xff]), 0x82),
    ends(5, `${name} with an unknown reason and properties`, packet(first, ID, [0xff, 0]), 0x82),
    ends(5, `${name} with a reason of other packets`, packet(first, ID, [isRelease ? 0x80 : 0x92]), 0x82),
    ends(5, `${name} with bytes behind its properties`, packet(first, ID, [0, 0, 0]), 0x81),
    ends(5, `${name} with properties that end early`, packet(first, ID, [0, 1]), 0x81),
  ];
}

export function publishVectors(version: Version): Vector[] {
  const none = version === 5 ? [0] : [];
  const publish = (first: number, topic: string, id: number[] = []) => packet(first, topic, id, none, [1, 2, 3]);
  const noSubscriber = version === 5 ? [0x40, 3, ...ID, 0x10] : [0x40, 2, ...ID];
  const qos2 = (first: number): Vector => ({
    ...stays(version, `a QoS 2 message, ${first}`, publish(first, "vectors", ID), [0x50, 2, ...ID]),
    actions: [
      { send: publish(first, "vectors", ID) },
      { receive: Buffer.of(0x50, 2, ...ID) },
      { send: packet(0x62, ID) },
      { receive: Buffer.of(0x70, 2, ...ID) },
    ],
  });
  return [
    stays(version, "a QoS 0 message", publish(0x30, "vectors")),
    stays(version, "a retained message", publish(0x31, "vectors/retained")),
    stays(version, "an empty retained message", packet(0x31, "vectors/retained", none)),
    stays(version, "a QoS 1 message", publish(0x32, "vectors", ID), noSubscriber),
    stays(version, "a QoS 1 message with DUP", publish(0x3a, "vectors", ID), noSubscriber),
    qos2(0x34),
    qos2(0x3c),
    stays(version, "a topic of U+2A6D4", publish(0x30, text([0x41, 0xf0, 0xaa, 0x9b, 0x94]))),
    ends(version, "an empty topic", publish(0x30, ""), 0x81),
    ends(version, "DUP at QoS 0", publish(0x38, "vectors"), 0x81),
    ends(version, "QoS 3 without a packet id", publish(0x36, "vectors"), 0x81),
    ends(version, "QoS 3", publish(0x36, "vectors", ID), 0x81),
    ends(version, "QoS 1 with packet id 0", publish(0x32, "vectors", NO_ID), 0x82),
    ends(version, "QoS 2 with packet id 0", publish(0x34, "vectors", NO_ID), 0x82),
    ends(version, "a topic with +", publish(0x30, "+vectors"), 0x81),
    ends(version, "a topic with #", publish(0x30, "#vectors"), 0x81),
    ...Object.entries(BAD_TEXTS).map(([name, bytes]) =>
      ends(version, `a topic with ${name}`, publish(0x30, text(bytes)), 0x81),
    ),
  ];
}
