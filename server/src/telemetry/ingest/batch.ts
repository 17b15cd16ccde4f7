import type { Reading } from "../reading.ts";
import type { Rejection } from "./rejection.ts";

/** A message without readings that is stored with the reason. Times are microseconds since 1970. */
export interface RejectedMessage extends Rejection {
  deviceUid: string;
  topic: string;
  /** Its start, when it is long. */
  payload: Uint8Array;
  /** Of the whole payload. */
  payloadBytes: number;
  at: number;
}

/** A reading whose time is final. */
export type TimedReading = Reading & { time: number };

/** A parsed message, or a part of one: its readings, or why it was rejected. */
export interface PreparedMessage {
  tenantId: string;
  deviceUid: string;
  /** When the message arrived, microseconds since 1970. */
  receivedAt: number;
  readings: TimedReading[];
  /**
   * What the rules evaluate when these readings are stored, where that is something else: earlier parts of a metric have none and leave
   * its latest value as it is, the last one has the readings of all of them.
   */
  evaluated?: readonly TimedReading[];
  rejected: RejectedMessage | undefined;
}

/**
 * Messages in order of their devices: processes that store the same devices then lock rows in the same order, which prevents deadlocks. Those of one
 * device stay in their order.
 */
export function inOrderOfDevices(messages: readonly PreparedMessage[]): PreparedMessage[] {
  return messages.toSorted((a, b) => (a.deviceUid < b.deviceUid ? -1 : a.deviceUid > b.deviceUid ? 1 : 0));
}
