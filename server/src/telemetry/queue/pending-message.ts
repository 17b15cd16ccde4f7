import type { PreparedMessage } from "../ingest/batch.ts";
import type { Message } from "../ingest/prepare-message.ts";
import type { StreamPosition } from "../stream/position.ts";
import { splitMessage } from "./split-message.ts";

/** A message of more rows is stored in parts, in batches of their own: other tenants wait for one of them at most. */
const MAX_PART_ROWS = 250;

/** A message whose sender waits for the commit. */
export interface PendingMessage {
  readonly message: Message;
  /** Of a message of the stream: the transaction that stores it records this. */
  readonly position: StreamPosition | undefined;
  /** Parses a large message when a batch takes it: its readings need ten times the memory of its payload. */
  defer: (() => PreparedMessage) | undefined;
  /** What its next batch stores: the whole message, or a part of one with many rows. */
  prepared: PreparedMessage;
  /** Rows of {@link prepared}. */
  rows: number;
  /** The parts that follow, in batches of their own. */
  parts: readonly PreparedMessage[];
  /** How often it was alone in a batch that the database did not store in time. */
  timeouts: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes `prepared`, or its first part, what the next batch stores. */
export function setPrepared(pending: PendingMessage, prepared: PreparedMessage): void {
  pending.defer = undefined;
  pending.prepared = prepared;
  pending.rows = rowsOf(prepared);
  if (pending.rows > MAX_PART_ROWS) startPart(pending, splitMessage(prepared, MAX_PART_ROWS));
}

/** Makes the first of `parts` what the next batch stores. */
export function startPart(pending: PendingMessage, [first, ...others]: readonly PreparedMessage[]): void {
  pending.prepared = first!;
  pending.rows = rowsOf(first!);
  pending.parts = others;
}

/** How many rows (readings × metrics) a message is stored as. */
export function rowsOf({ readings }: PreparedMessage): number {
  let rows = 0;
  for (const { metrics } of readings) rows += metrics.length;
  return rows;
}
