import type { Frame } from "../../src/broker/codec/cursor.ts";
import { PACKET_TYPE } from "../../src/broker/codec/packet-types.ts";
import { checkNoBody, readAck, readAck5 } from "../../src/broker/codec/read-acks.ts";
import { readConnect } from "../../src/broker/codec/read-connect.ts";
import { readDisconnect5 } from "../../src/broker/codec/read-disconnect.ts";
import { LastTopic, readPublish, readPublish5 } from "../../src/broker/codec/read-publish.ts";
import { readSubscribe, readUnsubscribe } from "../../src/broker/codec/read-subscribe.ts";
import { readSubscribe5, readUnsubscribe5 } from "../../src/broker/codec/read-subscribe5.ts";
import { field, packet as packetOf } from "./raw-client.ts";

/**
 * Returns a packet. A string among its parts becomes a field with its length; its characters are latin-1, so that any
 * bytes can be written.
 */
export function packet(first: number, ...parts: (string | number[])[]): Buffer {
  return packetOf(
    first,
    ...parts.map((part) => (typeof part === "string" ? field(Buffer.from(part, "latin1")) : part)),
  );
}

/** Returns the UTF-8 bytes of `text` as latin-1 characters. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export const CONNECT: Buffer = packet(0x10, "MQTT", [4, 2, 0, 60], "pump-1");

/**
 * Reads a client's MQTT 5 packet.
 * @throws PacketProblem
 */
export function readPacket5(frame: Frame, lastTopic: LastTopic): unknown {
  switch (frame.first >> 4) {
    case PACKET_TYPE.publish:
      return readPublish5(frame, lastTopic);
    case PACKET_TYPE.puback:
    case PACKET_TYPE.pubrec:
    case PACKET_TYPE.pubrel:
    case PACKET_TYPE.pubcomp:
      return readAck5(frame);
    case PACKET_TYPE.subscribe:
      return readSubscribe5(frame);
    case PACKET_TYPE.unsubscribe:
      return readUnsubscribe5(frame);
    case PACKET_TYPE.disconnect:
      return readDisconnect5(frame);
    default:
      return readPacket(frame, lastTopic);
  }
}

/**
 * Reads any packet of a client, as the engine does.
 * @throws PacketProblem
 */
export function readPacket(frame: Frame, lastTopic: LastTopic = new LastTopic()): unknown {
  switch (frame.first >> 4) {
    case PACKET_TYPE.publish:
      return readPublish(frame, lastTopic);
    case PACKET_TYPE.puback:
    case PACKET_TYPE.pubrec:
    case PACKET_TYPE.pubrel:
    case PACKET_TYPE.pubcomp:
      return readAck(frame);
    case PACKET_TYPE.subscribe:
      return readSubscribe(frame);
    case PACKET_TYPE.unsubscribe:
      return readUnsubscribe(frame);
    case PACKET_TYPE.connect:
      return readConnect(frame);
    default:
      return checkNoBody(frame);
  }
}
