import { type NotStored, type PreparedMessage, rowsOf } from "../message.ts";
import type { Message } from "../parse/prepare-message.ts";
import type { StreamPosition } from "../stream-position.ts";
import { splitMessage } from "./split-message.ts";

/**
 * Messages with more rows are stored in parts, in separate batches, so that other tenants wait for one part at most.
 */
const MAX_PART_ROWS = 250;

/** A message whose sender is waiting for the commit. */
export interface PendingMessage {
  readonly message: Message;
  /** The stream position of a message; recorded in the transaction that stores the message. */
  readonly position: StreamPosition | undefined;
  /** Parses a large message when a batch takes it, because readings need ten times the memory of their payload. */
  defer: (() => PreparedMessage) | undefined;
  /** The content of its next batch: the whole message, or a part of one with many rows. */
  prepared: PreparedMessage;
  /** The number of rows of {@link prepared}. */
  rows: number;
  /** The parts that follow in separate batches. */
  parts: readonly PreparedMessage[];
  /** The number of rows of the parts that are stored. */
  storedRows: number;
  /** The number of times that the database timed out on a batch with this message alone. */
  timeouts: number;
  readonly resolve: (notStored?: NotStored) => void;
  readonly reject: (error: unknown) => void;
}

/** Sets `prepared`, or its first part, as the content of the next batch. */
export function setPrepared(pending: PendingMessage, prepared: PreparedMessage): void {
  pending.defer = undefined;
  pending.prepared = prepared;
  pending.rows = rowsOf(prepared);
  if (pending.rows > MAX_PART_ROWS) startPart(pending, splitMessage(prepared, MAX_PART_ROWS));
}

/** Sets the first of `parts` as the content of the next batch. */
export function startPart(pending: PendingMessage, [first, ...others]: readonly PreparedMessage[]): void {
  pending.prepared = first!;
  pending.rows = rowsOf(first!);
  pending.parts = others;
}
