import { Cursor, type Frame } from "./cursor.ts";
import { PACKET_TYPE } from "./packet-types.ts";
import { PacketProblem } from "./problem.ts";
import { readProperties } from "./read-properties.ts";

/** Reads the packet id of a PUBACK, PUBREC, PUBREL or PUBCOMP (MQTT 3.1.1, 3.4 to 3.7). @throws {PacketProblem} */
export function readAck({ bytes, bodyStart, end }: Frame): number {
  if (end - bodyStart !== 2) throw new PacketProblem("an acknowledgement has two bytes");
  const id = (bytes[bodyStart]! << 8) | bytes[bodyStart + 1]!;
  // [MQTT-2.3.1-1]
  if (id === 0) throw new PacketProblem("packet id 0");
  return id;
}

/** An MQTT 5 acknowledgement; a missing reason code means 0, success. */
export interface AckPacket {
  packetId: number;
  reason: number;
}

/** The reasons of PUBACK and PUBREC (MQTT 5, 3.4.2.1, 3.5.2.1), and of PUBREL and PUBCOMP (3.6.2.1, 3.7.2.1). */
const REASONS_OF_MESSAGES: ReadonlySet<number> = new Set([0, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99]);
const REASONS_OF_RELEASES: ReadonlySet<number> = new Set([0, 0x92]);

/** Reads a PUBACK, PUBREC, PUBREL or PUBCOMP (MQTT 5, 3.4 to 3.7). @throws {PacketProblem} */
export function readAck5(frame: Frame): AckPacket {
  const cursor = new Cursor(frame);
  const packetId = cursor.packetId("protocol_error");
  const reason = cursor.isAtEnd ? 0 : cursor.byte();
  const type = frame.first >> 4;
  const isRelease = type === PACKET_TYPE.pubrel || type === PACKET_TYPE.pubcomp;
  if (!(isRelease ? REASONS_OF_RELEASES : REASONS_OF_MESSAGES).has(reason))
    throw new PacketProblem("a reason code", "protocol_error");
  if (!cursor.isAtEnd) readProperties(cursor, "acknowledgement");
  if (!cursor.isAtEnd) throw new PacketProblem("bytes after an acknowledgement");
  return { packetId, reason };
}

/** Checks that a PINGREQ, or a DISCONNECT of MQTT 3.1.1, has no body (3.12, 3.14). @throws {PacketProblem} */
export function checkNoBody({ bodyStart, end }: Frame): void {
  if (bodyStart !== end) throw new PacketProblem("this packet has no body", "unanswered");
}
