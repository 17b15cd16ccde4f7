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

/** A client's packet → its flags [MQTT-2.2.2-1]; those of PUBLISH vary. A client must not send a type without an entry. */
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

/** Checks type and flags of a client's packet. Throws {@link PacketProblem}. */
export function checkFirstByte(first: number): void {
  const type = first >> 4;
  const flags = first & 15;
  if (type === PACKET_TYPE.publish) {
    const qos = (flags >> 1) & 3;
    // [MQTT-3.3.1-4], [MQTT-3.3.1-2]
    if (qos === 3) throw new PacketProblem("QoS 3");
    if (qos === 0 && (flags & 8) !== 0) throw new PacketProblem("a repeated QoS 0 message");
    return;
  }
  // MQTT 3.1 gives a CONNECT a QoS, which means nothing; later versions forbid it (read-connect.ts).
  if (type === PACKET_TYPE.connect && (flags === 2 || flags === 4)) return;
  const expected = FLAGS[type];
  if (expected === undefined) throw new PacketProblem("not a client's packet", "protocol_error");
  // [MQTT-2.2.2-2]
  if (flags !== expected) throw new PacketProblem("reserved flags");
}
