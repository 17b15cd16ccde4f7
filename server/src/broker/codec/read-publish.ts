import { Cursor, type Frame } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";
import type { Properties } from "./property-table.ts";
import { readProperties } from "./read-properties.ts";
import { checkTopicName, MAX_TOPIC_BYTES } from "./topics.ts";
import { checkText } from "./utf8.ts";

export interface PublishPacket {
  topic: string;
  qos: 0 | 1 | 2;
  retain: boolean;
  /** 0 for QoS 0. */
  packetId: number;
  /** Shares the packet's memory. */
  payload: Buffer;
  /** Only with MQTT 5. */
  properties?: Properties;
}

/**
 * Caches the last topic that a client published to: most clients repeat it, which skips checking and decoding it again.
 */
export class LastTopic {
  #bytes: Buffer | undefined;
  #topic = "";

  /** Returns the topic name in `bytes[start, end)`. @throws {PacketProblem} */
  read(bytes: Buffer, start: number, end: number): string {
    const last = this.#bytes;
    if (last?.length === end - start && last.compare(bytes, start, end) === 0) return this.#topic;
    checkText(bytes, start, end, "topic");
    const topic = bytes.toString("utf8", start, end);
    checkTopicName(topic);
    this.#bytes = Buffer.from(bytes.subarray(start, end));
    this.#topic = topic;
    return topic;
  }
}

/**
 * Reads an MQTT 5 PUBLISH (3.3). Its topic is empty if a topic alias replaces it [MQTT-3.3.2-8]. @throws
 * {PacketProblem}
 */
export function readPublish5(frame: Frame, lastTopic: LastTopic): PublishPacket {
  const cursor = new Cursor(frame);
  const topicBytes = cursor.binary(MAX_TOPIC_BYTES, "topic", "topic_name_invalid");
  const topicEnd = cursor.at;
  const topic = topicBytes.length === 0 ? "" : lastTopic.read(frame.bytes, topicEnd - topicBytes.length, topicEnd);
  const qos = ((frame.first >> 1) & 3) as PublishPacket["qos"];
  const packetId = qos === 0 ? 0 : cursor.packetId("protocol_error");
  const properties = readProperties(cursor, "publish");
  if (topic === "" && properties.topicAlias === undefined) {
    throw new PacketProblem("neither a topic nor an alias");
  }
  // [MQTT-3.3.4-6]
  if (properties.subscriptionId !== undefined) {
    throw new PacketProblem("a subscription identifier from a client", "protocol_error");
  }
  const payload = frame.bytes.subarray(cursor.at, frame.end);
  return { topic, qos, retain: (frame.first & 1) !== 0, packetId, payload, properties };
}

/** Reads a PUBLISH (MQTT 3.1.1, 3.3). @throws {PacketProblem} */
export function readPublish({ first, bytes, bodyStart, end }: Frame, lastTopic: LastTopic): PublishPacket {
  if (bodyStart + 2 > end) throw new PacketProblem("a short packet");
  const length = (bytes[bodyStart]! << 8) | bytes[bodyStart + 1]!;
  if (length > MAX_TOPIC_BYTES) throw new PacketProblem("a long topic", "topic_name_invalid");
  const topicEnd = bodyStart + 2 + length;
  if (topicEnd > end) throw new PacketProblem("a short packet");
  const topic = lastTopic.read(bytes, bodyStart + 2, topicEnd);
  const qos = ((first >> 1) & 3) as PublishPacket["qos"];
  const retain = (first & 1) !== 0;
  if (qos === 0) return { topic, qos, retain, packetId: 0, payload: bytes.subarray(topicEnd, end) };
  if (topicEnd + 2 > end) throw new PacketProblem("a short packet");
  const packetId = (bytes[topicEnd]! << 8) | bytes[topicEnd + 1]!;
  // [MQTT-2.3.1-1]
  if (packetId === 0) throw new PacketProblem("packet id 0");
  return { topic, qos, retain, packetId, payload: bytes.subarray(topicEnd + 2, end) };
}
