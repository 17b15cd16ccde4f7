import type { Rejection } from "./parse/rejection.ts";
import type { Reading } from "./reading.ts";

/** A message without readings, stored with the reason for its rejection. Times are microseconds since 1970. */
export interface RejectedMessage extends Rejection {
  deviceUid: string;
  topic: string;
  /** The payload, cut if it is long. */
  payload: Uint8Array;
  /** The size of the whole payload. */
  payloadBytes: number;
  at: number;
}

/** A reading whose time is final. */
export type TimedReading = Reading & { time: number };

/** A parsed message or a part of one: its readings, or why it was rejected. */
export interface PreparedMessage {
  tenantId: string;
  deviceUid: string;
  /** The arrival time of the message, in microseconds since 1970. */
  receivedAt: number;
  readings: TimedReading[];
  /**
   * The readings that the rules evaluate, if they differ from the stored ones. Earlier parts of a message evaluate none
   * and leave the latest value of the metric unchanged; the last part evaluates the readings of all parts.
   */
  evaluated?: readonly TimedReading[];
  rejected: RejectedMessage | undefined;
}

/**
 * Sorts messages by device, keeping the order within a device. Processes that store the same devices then lock rows in
 * the same order, which prevents deadlocks.
 */
export function inOrderOfDevices(messages: readonly PreparedMessage[]): PreparedMessage[] {
  return messages.toSorted((a, b) => (a.deviceUid < b.deviceUid ? -1 : a.deviceUid > b.deviceUid ? 1 : 0));
}
