import type { Message } from "../parse/prepare-message.ts";

const VERSION = 1;
const LENGTH_BYTES = 4;

/**
 * The arrival of a message: the time in milliseconds, and the first of the unique times reserved for it, in
 * microseconds since 1970.
 */
export interface Arrival {
  nowMs: number;
  time: number;
}

export interface StreamedMessage extends Arrival {
  message: Message;
}

/**
 * A process's messages for one append to a partition. `number` counts the process's batches in that partition, from 1.
 */
export interface StreamBatch {
  from: string;
  number: number;
  messages: StreamedMessage[];
}

type Fields = [
  tenantId: string,
  deviceUid: string,
  deviceId: string,
  topic: string,
  nowMs: number,
  time: number,
  bytes: number,
];

interface Head {
  version: number;
  from: string;
  number: number;
  messages: Fields[];
}

/** Encodes a batch as the length of a JSON head, the head, and the payloads. */
export function encodeBatch({ from, number, messages }: StreamBatch): Buffer {
  const fields = messages.map(({ message, nowMs, time }): Fields => {
    const { tenantId, deviceUid, deviceId, topic, payload } = message;
    return [tenantId, deviceUid, deviceId, topic, nowMs, time, payload.length];
  });
  const head = Buffer.from(JSON.stringify({ version: VERSION, from, number, messages: fields } satisfies Head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...messages.map(({ message }) => message.payload)]);
}

/** @throws Error if the bytes do not come from this version of {@link encodeBatch} */
export function decodeBatch(data: Buffer): StreamBatch {
  const headEnd = LENGTH_BYTES + data.readUInt32BE(0);
  const head = JSON.parse(data.toString("utf8", LENGTH_BYTES, headEnd)) as Head;
  if (head.version !== VERSION)
    throw new Error(`the stream contains a batch of version ${head.version}; this process supports ${VERSION}`);
  let at = headEnd;
  const messages = head.messages.map(([tenantId, deviceUid, deviceId, topic, nowMs, time, bytes]) => {
    const payload = data.subarray(at, at + bytes);
    at += bytes;
    return { message: { tenantId, deviceUid, deviceId, topic, payload }, nowMs, time };
  });
  return { from: head.from, number: head.number, messages };
}
