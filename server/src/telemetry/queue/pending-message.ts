import type { PreparedMessage } from "../ingest/batch.ts";
import type { Message } from "../ingest/prepare-message.ts";

/** A message whose sender waits for the commit. */
export interface PendingMessage {
  readonly message: Message;
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

/** How many rows (readings × metrics) a message is stored as. */
export function rowsOf({ readings }: PreparedMessage): number {
  let rows = 0;
  for (const { metrics } of readings) rows += metrics.length;
  return rows;
}
