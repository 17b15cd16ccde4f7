import { type PreparedBatch, sendBatch } from "./prepared-batch.ts";
import { PreparedQuery } from "./prepared-query.ts";
import { isDataException } from "./refusal.ts";
import type { BoundStatement, ClientSource, Db } from "./types.ts";

/** Runs one prepared read together with the others requested in the same turn of the event loop. */
export type ReadCoalescer = (read: BoundStatement) => Promise<Record<string, unknown>[]>;

const coalescers = new WeakMap<Db, ReadCoalescer>();

/** Returns the read coalescer of a pool; `undefined` for a transaction and for the embedded database. */
export function coalescerOf(db: Db): ReadCoalescer | undefined {
  return coalescers.get(db);
}

/** The maximum number of reads per write: in a larger one, the first answer would wait for the last statement. */
const MOST_AT_ONCE = 32;

/**
 * Sends the reads of one turn of the event loop in one write on one connection of `pool`, because under load, switching
 * between the two processes costs more than a short read. `observe` receives the seconds until each write was answered.
 */
export function coalesceReads(db: Db, pool: ClientSource, observe?: (seconds: number) => void): void {
  let waiting: PreparedQuery[] = [];

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MOST_AT_ONCE) void send(all.slice(at, at + MOST_AT_ONCE));
  }

  async function send(queries: readonly PreparedQuery[]): Promise<void> {
    try {
      await sendBatch(pool, queries, answerAll, observe);
    } catch (error) {
      for (const query of queries) query.handleError(error as Error);
    }
  }

  function answerAll({ answered, unanswered }: PreparedBatch, error: Error | null): void {
    for (const query of answered) query.handleReadyForQuery();
    // The error belongs to one read and must not fail the others of the batch, so each is sent again alone.
    const retryAlone = unanswered.length + answered.length > 1 && isDataException(error);
    for (const query of unanswered) {
      if (!retryAlone) query.handleError(error!);
      else void send([query.copy()]);
    }
  }

  coalescers.set(db, (read) => {
    return new Promise((resolve, reject) => {
      const query = new PreparedQuery(read);
      query.callback = (error, result) => (error ? reject(error) : resolve(result!.rows));
      if (waiting.push(query) === 1) setImmediate(sendAll);
    });
  });
}
