import type { ProtocolVersion } from "../policy/answers.ts";
import { PACKET_TYPE } from "./packet-types.ts";
import type { Properties } from "./property-table.ts";
import { writeProperties } from "./write-properties.ts";

export const PINGRESP: Buffer = Buffer.of(0xd0, 0);

/** Encodes a CONNACK (MQTT 3.1.1 and 5, 3.2); MQTT 3.1 has no session-present flag. */
export function writeConnack(
  code: number,
  version: ProtocolVersion,
  { properties = {}, isPresent = false }: { properties?: Properties | undefined; isPresent?: boolean } = {},
): Buffer {
  const flags = isPresent && version > 3 ? 1 : 0;
  if (version < 5) return Buffer.of(0x20, 2, flags, code);
  const encoded = writeProperties(properties);
  return Buffer.concat([Buffer.of(0x20, 2 + encoded.length, flags, code), encoded]);
}

/** @param codes one per filter, at most 100: the granted QoS, or why none was granted [MQTT-3.8.4-5] */
export function writeSuback(packetId: number, codes: readonly number[], version: ProtocolVersion): Buffer {
  const properties = version < 5 ? [] : [0];
  const body = [packetId >> 8, packetId & 255, ...properties, ...codes];
  return Buffer.from([0x90, body.length, ...body]);
}

/** @param codes one per filter, at most 100; only MQTT 5 sends them */
export function writeUnsuback(packetId: number, codes: readonly number[], version: ProtocolVersion): Buffer {
  if (version < 5) return Buffer.of(0xb0, 2, packetId >> 8, packetId & 255);
  return Buffer.from([0xb0, 3 + codes.length, packetId >> 8, packetId & 255, 0, ...codes]);
}

/** Encodes a DISCONNECT (MQTT 5, 3.14). */
export function writeDisconnect(code: number, properties?: Properties): Buffer {
  if (!properties) return Buffer.of(0xe0, 1, code);
  return withProperties([0xe0], [code], properties);
}

/** Encodes an MQTT 5 acknowledgement that reports a failure. */
export function writeAck5(type: AckType, packetId: number, code: number, properties?: Properties): Buffer {
  if (properties) return withProperties([PACKET_TYPE[type] << 4], [packetId >> 8, packetId & 255, code], properties);
  const packet = Buffer.alloc(ACK_BYTES + 1);
  writeAck(packet, 0, type, packetId);
  packet[1] = 3;
  packet[ACK_BYTES] = code;
  return packet;
}

/** Builds a packet from its first byte, a few bytes and properties. */
function withProperties(first: number[], start: number[], properties: Properties): Buffer {
  const encoded = writeProperties(properties);
  const length = Buffer.alloc(lengthBytes(start.length + encoded.length));
  writeLength(length, 0, start.length + encoded.length);
  return Buffer.concat([Buffer.from(first), length, Buffer.from(start), encoded]);
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
  /** Not 0 for QoS 1 and 2. */
  packetId: number;
  /** Already encoded; only with MQTT 5. */
  properties: Buffer | undefined;
}

/** Encodes a PUBLISH (MQTT 3.1.1 and 5, 3.3) without the DUP flag. */
export function writePublish({ topic, payload, qos, retain, packetId, properties }: OutgoingPublish): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const body = 2 + topicBytes + (qos > 0 ? 2 : 0) + (properties?.length ?? 0) + payload.length;
  const packet = Buffer.allocUnsafe(1 + lengthBytes(body) + body);
  packet[0] = (PACKET_TYPE.publish << 4) | (qos << 1) | (retain ? 1 : 0);
  let at = writeLength(packet, 1, body);
  at = packet.writeUInt16BE(topicBytes, at);
  at += packet.write(topic, at);
  if (qos > 0) at = packet.writeUInt16BE(packetId, at);
  if (properties) at += properties.copy(packet, at);
  payload.copy(packet, at);
  return packet;
}

/** Returns how many bytes a remaining length takes (2.2.3). */
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
