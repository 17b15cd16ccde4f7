import { MAX_PAYLOAD_BYTES, type Reading } from "../reading.ts";
import type { PreparedMessage } from "./batch.ts";
import { parsePayload } from "./payload.ts";
import type { ServerTime } from "./server-time.ts";

/** A message of a device, as the broker hands it on once it may be published. */
export interface Message {
  tenantId: string;
  deviceUid: string;
  deviceId: string;
  topic: string;
  payload: Buffer;
}

/** Reads a message and settles its times. A bad payload becomes a rejected message, cut at the largest good size. */
export function prepareMessage(message: Message, nowMs: number, serverTime: ServerTime): PreparedMessage {
  const { tenantId, deviceUid } = message;
  const parsed = parsePayload(message.payload, nowMs);
  if ("reason" in parsed) return reject(message, parsed.reason, serverTime.next(deviceUid, nowMs));
  const readings = parsed.readings as PreparedMessage["readings"];
  for (const reading of readings as Reading[]) reading.time ??= serverTime.next(deviceUid, nowMs);
  // A message that brought no time of its own arrived when its reading says, to the microsecond.
  const receivedAt =
    readings.length === 1 && !readings[0]!.timeReplaced ? arrival(readings[0]!.time, nowMs) : nowMs * 1000;
  return { tenantId, deviceUid, receivedAt, readings, rejected: undefined };
}

/** A message that is kept for its reason instead of its readings. */
export function reject(message: Message, reason: string, at: number): PreparedMessage {
  const { tenantId, deviceUid, topic, payload } = message;
  const kept = payload.length > MAX_PAYLOAD_BYTES ? payload.subarray(0, MAX_PAYLOAD_BYTES) : payload;
  return {
    tenantId,
    deviceUid,
    receivedAt: at,
    readings: [],
    rejected: { deviceUid, topic, reason, payload: kept, at },
  };
}

/** `time` where it is the server's own within its millisecond, otherwise the start of that millisecond. */
function arrival(time: number, nowMs: number): number {
  return Math.floor(time / 1000) === nowMs ? time : nowMs * 1000;
}
