import { PacketProblem } from "./problem.ts";

/** MQTT 3.1.1 control packet types (2.2.1). */
export const PACKET_TYPE = {
  connect: 1,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  unsubscribe: 10,
  pingreq: 12,
  disconnect: 14,
} as const;

/** The flags of each packet type that a client may send [MQTT-2.2.2-1]. PUBLISH is absent because its flags vary. */
const FLAGS: Readonly<Record<number, number>> = {
  [PACKET_TYPE.connect]: 0,
  [PACKET_TYPE.puback]: 0,
  [PACKET_TYPE.pubrec]: 0,
  [PACKET_TYPE.pubrel]: 2,
  [PACKET_TYPE.pubcomp]: 0,
  [PACKET_TYPE.subscribe]: 2,
  [PACKET_TYPE.unsubscribe]: 2,
  [PACKET_TYPE.pingreq]: 0,
  [PACKET_TYPE.disconnect]: 0,
};

const PINGRESP = 13;
/** SUBACK, UNSUBACK and PINGRESP: only a server sends them, always without flags. */
const WITHOUT_FLAGS: ReadonlySet<number> = new Set([9, 11, PINGRESP]);

/** Checks the flags of a client's packet from its first byte. @throws {PacketProblem} */
export function checkFirstByte(first: number): void {
  const type = first >> 4;
  const flags = first & 15;
  if (type === 0) throw new PacketProblem("type 0", "protocol_error");
  if (type === PACKET_TYPE.publish) {
    const qos = (flags >> 1) & 3;
    // [MQTT-3.3.1-4], [MQTT-3.3.1-2]
    if (qos === 3) throw new PacketProblem("QoS 3");
    if (qos === 0 && (flags & 8) !== 0) throw new PacketProblem("a repeated QoS 0 message");
    return;
  }
  // In MQTT 3.1 a CONNECT may have a QoS, which has no meaning; later versions forbid it (read-connect.ts).
  if (type === PACKET_TYPE.connect && (flags === 2 || flags === 4)) return;
  const expected = FLAGS[type];
  // [MQTT-2.2.2-2]
  if (expected !== undefined && flags !== expected) throw new PacketProblem("reserved flags");
}

/**
 * Checks that clients may send this type, once the length is known. @param length of the body @throws {PacketProblem}
 */
export function checkSender(first: number, length: number): void {
  const type = first >> 4;
  if (FLAGS[type] !== undefined || type === PACKET_TYPE.publish) return;
  if (WITHOUT_FLAGS.has(type) && (first & 15) !== 0) throw new PacketProblem("reserved flags");
  throw new PacketProblem("not a client's packet", type === PINGRESP && length > 0 ? "unanswered" : "protocol_error");
}
