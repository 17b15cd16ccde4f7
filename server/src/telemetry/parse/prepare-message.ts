import { type PreparedMessage, type RejectedMessage, rowsOf } from "../message.ts";
import { MAX_REJECTED_PAYLOAD_BYTES } from "../reading.ts";
import type { Format } from "./format.ts";
import { parsePayload } from "./payload.ts";
import type { Rejection } from "./rejection.ts";
import type { ServerTime } from "./server-time.ts";

/** A device message whose publish the broker has authorized. */
export interface Message {
  tenantId: string;
  deviceUid: string;
  deviceId: string;
  topic: string;
  payload: Buffer;
  /** Set for a message that may be stored again. With the same times, its readings replace the stored ones. */
  arrival?: FirstArrival | undefined;
}

/** The first arrival of a message. Set when it is first stored, unless the caller knows it. */
export interface FirstArrival {
  /** Milliseconds since 1970. */
  nowMs?: number;
  /** The first time assigned to one of its readings, in microseconds since 1970. The start of `nowMs` if none was. */
  time?: number;
  /** The session that sent it. Nothing is stored once `mayStore` is false. */
  sender?: { readonly mayStore: boolean };
}

/** Parses a message and assigns a time to every reading. A bad payload becomes a rejected message. */
export function prepareMessage(
  message: Message,
  nowMs: number,
  serverTime: Pick<ServerTime, "next">,
  maxReadings: number,
  format: Format,
): PreparedMessage {
  const { tenantId, deviceUid } = message;
  const { readings: parsed, rejected } = parsePayload(message.payload, nowMs, maxReadings, format);
  if (parsed.length === 0) return reject(message, rejected!, serverTime.next(deviceUid, nowMs));
  const readings = parsed as PreparedMessage["readings"];
  for (const reading of parsed) reading.time ??= serverTime.next(deviceUid, nowMs);
  // A reading without a device time has the server's to the microsecond, which is the arrival time of the message.
  const receivedAt =
    readings.length === 1 && !readings[0]!.timeReplaced ? arrival(readings[0]!.time, nowMs) : nowMs * 1000;
  const prepared: PreparedMessage = { tenantId, deviceUid, receivedAt, readings, rejected: undefined };
  if (rejected !== undefined) prepared.rejected = rejectedMessage(message, rejected, receivedAt, rowsOf({ readings }));
  return prepared;
}

/** Returns a placeholder for a message that is not parsed yet. */
export function unprepared({ tenantId, deviceUid }: Message, nowMs: number): PreparedMessage {
  return { tenantId, deviceUid, receivedAt: nowMs * 1000, readings: [], rejected: undefined };
}

/**
 * Returns a message without readings, stored with the reason for its rejection and the start of its payload.
 *
 * @param storedValues the number of its values that were stored before
 */
export function reject(message: Message, rejection: Rejection, at: number, storedValues = 0): PreparedMessage {
  const { tenantId, deviceUid } = message;
  const rejected = rejectedMessage(message, rejection, at, storedValues);
  return { tenantId, deviceUid, receivedAt: at, readings: [], rejected };
}

/** Returns the record of a message that is not stored, or only `storedValues` values of it. */
export function rejectedMessage(
  { tenantId, deviceUid, topic, payload }: Message,
  { cause, reason, problems = [], problemCount = problems.length }: Rejection,
  at: number,
  storedValues: number,
): RejectedMessage {
  return {
    tenantId,
    deviceUid,
    topic,
    cause,
    reason,
    problems,
    problemCount,
    storedValues,
    payload: payload.subarray(0, MAX_REJECTED_PAYLOAD_BYTES),
    payloadBytes: payload.length,
    at,
  };
}

/** Returns `time` if it is a server time in this millisecond, otherwise the start of the millisecond. */
function arrival(time: number, nowMs: number): number {
  return Math.floor(time / 1000) === nowMs ? time : nowMs * 1000;
}
