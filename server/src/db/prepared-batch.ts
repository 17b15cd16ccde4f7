import type pg from "pg";
import type { PreparedQuery, Wire } from "./prepared-query.ts";
import { endsConnection } from "./refusal.ts";
import type { ClientSource } from "./types.ts";

/**
 * Sends statements in one write on a connection of `pool`. The connection is released when all are answered.
 *
 * @param onAnswered receives the error that ended the batch, or null
 * @param observe receives the seconds until the answer
 * @returns a promise that resolves when the statements are sent, and rejects if the pool has no connection in time
 */
export async function sendBatch(
  pool: ClientSource,
  queries: readonly PreparedQuery[],
  onAnswered: (batch: PreparedBatch, error: Error | null) => void,
  observe?: (seconds: number) => void,
): Promise<void> {
  const started = performance.now();
  const client = await pool.connect();
  const batch = new PreparedBatch(queries);
  batch.callback = (error) => {
    client.release(error !== null && endsConnection(error));
    observe?.((performance.now() - started) / 1000);
    onAnswered(batch, error);
  };
  client.query(batch as unknown as pg.Submittable);
}

/**
 * Several prepared statements in one write. They share one Sync and therefore one transaction: when one fails,
 * PostgreSQL rolls back the earlier ones and skips the later ones. `client.query` takes it like a
 * {@link PreparedQuery}.
 */
export class PreparedBatch {
  /** Called once, with the error that ended the batch. The client wraps it to stop its timer. */
  callback: ((error: Error | null) => void) | undefined;
  readonly #queries: readonly PreparedQuery[];
  /** Index of the query that is being answered. */
  #at = 0;

  constructor(queries: readonly PreparedQuery[]) {
    this.#queries = queries;
  }

  /** The name that the client records as prepared when PostgreSQL has parsed the current statement. */
  get name(): string | undefined {
    return this.#queries[this.#at]?.name;
  }

  get text(): string | undefined {
    return this.#queries[this.#at]?.text;
  }

  get answered(): readonly PreparedQuery[] {
    return this.#queries.slice(0, this.#at);
  }

  get unanswered(): readonly PreparedQuery[] {
    return this.#queries.slice(this.#at);
  }

  submit(wire: Wire): null {
    const parsing = new Set<string>();
    wire.stream.cork();
    for (const query of this.#queries) query.send(wire, parsing);
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  handleRowDescription(message: Parameters<PreparedQuery["handleRowDescription"]>[0]): void {
    this.#queries[this.#at]?.handleRowDescription(message);
  }

  handleDataRow(message: Parameters<PreparedQuery["handleDataRow"]>[0]): void {
    this.#queries[this.#at]?.handleDataRow(message);
  }

  handleCommandComplete(message: Parameters<PreparedQuery["handleCommandComplete"]>[0]): void {
    this.#queries[this.#at++]?.handleCommandComplete(message);
  }

  handleReadyForQuery(): void {
    this.callback?.(null);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
