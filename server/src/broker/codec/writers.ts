import { PACKET_TYPE } from "./packet-types.ts";

export const PINGRESP: Buffer = Buffer.of(0xd0, 0);

/** MQTT 3.1.1, 3.2. No session outlives its connection, so there is never one present. */
export function writeConnack(code: number): Buffer {
  return Buffer.of(0x20, 2, 0, code);
}

/** @param codes the granted QoS of each filter, or 0x80 [MQTT-3.8.4-5]; at most 125 */
export function writeSuback(packetId: number, codes: readonly number[]): Buffer {
  return Buffer.from([0x90, 2 + codes.length, packetId >> 8, packetId & 255, ...codes]);
}

export function writeUnsuback(packetId: number): Buffer {
  return Buffer.of(0xb0, 2, packetId >> 8, packetId & 255);
}

export type AckType = "puback" | "pubrec" | "pubrel" | "pubcomp";

export const ACK_BYTES = 4;

/** Writes an acknowledgement into `target` at `at`. */
export function writeAck(target: Buffer, at: number, type: AckType, packetId: number): void {
  // [MQTT-3.6.1-1]
  target[at] = (PACKET_TYPE[type] << 4) | (type === "pubrel" ? 2 : 0);
  target[at + 1] = 2;
  target[at + 2] = packetId >> 8;
  target[at + 3] = packetId & 255;
}

export interface OutgoingPublish {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
  /** Not 0 at QoS 1 and 2. */
  packetId: number;
}

/** MQTT 3.1.1, 3.3. It is sent once, so it is never a duplicate. */
export function writePublish({ topic, payload, qos, retain, packetId }: OutgoingPublish): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const body = 2 + topicBytes + (qos > 0 ? 2 : 0) + payload.length;
  const packet = Buffer.allocUnsafe(1 + lengthBytes(body) + body);
  packet[0] = (PACKET_TYPE.publish << 4) | (qos << 1) | (retain ? 1 : 0);
  let at = writeLength(packet, 1, body);
  at = packet.writeUInt16BE(topicBytes, at);
  at += packet.write(topic, at);
  if (qos > 0) at = packet.writeUInt16BE(packetId, at);
  payload.copy(packet, at);
  return packet;
}

/** How many bytes a remaining length takes (2.2.3). */
function lengthBytes(length: number): number {
  if (length < 128) return 1;
  if (length < 16_384) return 2;
  return length < 2_097_152 ? 3 : 4;
}

function writeLength(target: Buffer, at: number, length: number): number {
  let [rest, next] = [length, at];
  for (; rest > 127; rest >>= 7) target[next++] = (rest & 127) | 128;
  target[next++] = rest;
  return next;
}
