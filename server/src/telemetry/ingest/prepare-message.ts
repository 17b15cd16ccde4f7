import { MAX_REJECTED_PAYLOAD_BYTES, type Reading } from "../reading.ts";
import type { PreparedMessage } from "./batch.ts";
import { parsePayload } from "./payload.ts";
import type { Rejection } from "./rejection.ts";
import type { ServerTime } from "./server-time.ts";

/** A message of a device whose publish the broker has authorized. */
export interface Message {
  tenantId: string;
  deviceUid: string;
  deviceId: string;
  topic: string;
  payload: Buffer;
  /** Of a message that may be stored again: with the same times, its readings replace those stored before. */
  arrival?: FirstArrival | undefined;
}

/** When a message arrived: set when it is first to be stored, unless the caller knows it. */
export interface FirstArrival {
  /** Milliseconds since 1970. */
  nowMs?: number;
  /** The first time that one of its readings was given, in microseconds since 1970; the beginning of `nowMs` where there was none. */
  time?: number;
  /** The session that sent it: nothing of it is stored once it may not. */
  sender?: { readonly mayStore: boolean };
}

/** Parses a message and gives every reading a time. A bad payload becomes a rejected message. */
export function prepareMessage(
  message: Message,
  nowMs: number,
  serverTime: Pick<ServerTime, "next">,
  maxReadings: number,
): PreparedMessage {
  const { tenantId, deviceUid } = message;
  const parsed = parsePayload(message.payload, nowMs, maxReadings);
  if ("reason" in parsed) return reject(message, parsed, serverTime.next(deviceUid, nowMs));
  const readings = parsed.readings as PreparedMessage["readings"];
  for (const reading of readings as Reading[]) reading.time ??= serverTime.next(deviceUid, nowMs);
  // A reading without a device time has the server's, to the microsecond: the message arrived then.
  const receivedAt =
    readings.length === 1 && !readings[0]!.timeReplaced ? arrival(readings[0]!.time, nowMs) : nowMs * 1000;
  return { tenantId, deviceUid, receivedAt, readings, rejected: undefined };
}

/** Stands for a message that is not parsed yet. */
export function unprepared({ tenantId, deviceUid }: Message, nowMs: number): PreparedMessage {
  return { tenantId, deviceUid, receivedAt: nowMs * 1000, readings: [], rejected: undefined };
}

/** A message that is stored with the reason why it was rejected and the start of its payload, without readings. */
export function reject(message: Message, { cause, reason }: Rejection, at: number): PreparedMessage {
  const { tenantId, deviceUid, topic, payload } = message;
  return {
    tenantId,
    deviceUid,
    receivedAt: at,
    readings: [],
    rejected: {
      deviceUid,
      topic,
      cause,
      reason,
      payload: payload.subarray(0, MAX_REJECTED_PAYLOAD_BYTES),
      payloadBytes: payload.length,
      at,
    },
  };
}

/** `time` when it is a server time of this millisecond, otherwise the start of the millisecond. */
function arrival(time: number, nowMs: number): number {
  return Math.floor(time / 1000) === nowMs ? time : nowMs * 1000;
}
