import type { Message } from "../ingest/prepare-message.ts";

const VERSION = 1;
const LENGTH_BYTES = 4;

/** When a message arrived: milliseconds, and the first of the unique times of its device that are reserved for it, microseconds since 1970. */
export interface Arrival {
  nowMs: number;
  time: number;
}

export interface StreamedMessage extends Arrival {
  message: Message;
}

/** What a process appends to a partition at once. `number` counts the batches of the process in that partition, from 1. */
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

/** A head in JSON with its length in front of it, and the payloads behind. */
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

/** @throws Error for bytes that {@link encodeBatch} did not make */
export function decodeBatch(data: Buffer): StreamBatch {
  const headEnd = LENGTH_BYTES + data.readUInt32BE(0);
  const head = JSON.parse(data.toString("utf8", LENGTH_BYTES, headEnd)) as Head;
  if (head.version !== VERSION)
    throw new Error(`a batch of version ${head.version} is in the stream: this is ${VERSION}`);
  let at = headEnd;
  const messages = head.messages.map(([tenantId, deviceUid, deviceId, topic, nowMs, time, bytes]) => {
    const payload = data.subarray(at, at + bytes);
    at += bytes;
    return { message: { tenantId, deviceUid, deviceId, topic, payload }, nowMs, time };
  });
  return { from: head.from, number: head.number, messages };
}
