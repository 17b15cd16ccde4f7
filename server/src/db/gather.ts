import pg from "pg";
import { PreparedBatch } from "./prepared-batch.ts";
import { PreparedQuery } from "./prepared-query.ts";
import type { Db } from "./types.ts";

/** Runs one prepared read, together with those that were asked in the same turn of the event loop. */
export type Gatherer = (name: string, text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

const gatherers = new WeakMap<Db, Gatherer>();

/** The gatherer of a pool; `undefined` for a transaction, and for the embedded database. */
export function gathererOf(db: Db): Gatherer | undefined {
  return gatherers.get(db);
}

/** More would keep the first waiting for the last. */
const MOST_AT_ONCE = 32;

/**
 * Has the reads of one turn sent over one connection of `pool` in one write: under load most of what a short read costs is two
 * processes waking each other up. `observe` is told how long each write took to be answered.
 */
export function gatherOn(db: Db, pool: pg.Pool, observe?: (seconds: number) => void): void {
  let waiting: PreparedQuery[] = [];

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MOST_AT_ONCE) void send(all.slice(at, at + MOST_AT_ONCE));
  }

  async function send(queries: readonly PreparedQuery[]): Promise<void> {
    const started = performance.now();
    try {
      const client = await pool.connect();
      const batch = new PreparedBatch(queries);
      batch.callback = (error) => {
        client.release(error !== null && !(error instanceof pg.DatabaseError));
        observe?.((performance.now() - started) / 1000);
        settle(batch, error);
      };
      client.query(batch as unknown as pg.Submittable);
    } catch (error) {
      for (const query of queries) query.handleError(error as Error);
    }
  }

  function settle({ answered, unanswered }: PreparedBatch, error: Error | null): void {
    for (const query of answered) query.handleReadyForQuery();
    // A mistake in one's parameters is nobody else's: each is tried alone.
    const apart = unanswered.length + answered.length > 1 && isMistake(error);
    for (const query of unanswered) {
      if (!apart) query.handleError(error!);
      else void send([query.again()]);
    }
  }

  gatherers.set(db, (name, text, values) => {
    return new Promise((resolve, reject) => {
      const query = new PreparedQuery(name, text, values);
      query.callback = (error, result) => (error ? reject(error) : resolve(result!.rows));
      if (waiting.push(query) === 1) setImmediate(sendAll);
    });
  });
}

/** SQLSTATE class 22, data exception. */
function isMistake(error: Error | null): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith("22") === true;
}
