import type { Rejection } from "./parse/rejection.ts";
import type { Reading } from "./reading.ts";

/** The record of a message of which nothing, or not everything, is stored. Times are microseconds since 1970. */
export interface RejectedMessage extends Required<Rejection> {
  tenantId: string;
  deviceUid: string;
  topic: string;
  /** The payload, cut if it is long. */
  payload: Uint8Array;
  /** The size of the whole payload. */
  payloadBytes: number;
  /** The number of its values that are stored. */
  storedValues: number;
  at: number;
}

/** The reason nothing of a message is stored or, with stored values, not everything. */
export type NotStored = Pick<RejectedMessage, "reason" | "storedValues">;

/** A reading whose time is final. */
export type TimedReading = Reading & { time: number };

/** A parsed message or a part of one: its readings, and why something of it, or everything, is not among them. */
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
  /** Set on the last part of a message, so that its record is stored once. */
  rejected: RejectedMessage | undefined;
}

/**
 * Sorts messages by device, keeping the order within a device. Processes that store the same devices then lock rows in
 * the same order, which prevents deadlocks.
 */
export function inOrderOfDevices(messages: readonly PreparedMessage[]): PreparedMessage[] {
  return messages.toSorted((a, b) => (a.deviceUid < b.deviceUid ? -1 : a.deviceUid > b.deviceUid ? 1 : 0));
}

/** Counts the rows (readings × metrics) of a message. */
export function rowsOf({ readings }: Pick<PreparedMessage, "readings">): number {
  let rows = 0;
  for (const { metrics } of readings) rows += metrics.length;
  return rows;
}
