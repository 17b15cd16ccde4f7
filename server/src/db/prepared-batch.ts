import type pg from "pg";
import type { PreparedQuery, Wire } from "./prepared-query.ts";
import { endsConnection } from "./refusal.ts";
import type { ClientSource } from "./types.ts";

/**
 * Sends statements in one write on a connection of `pool`, which gets the connection back once they are answered.
 *
 * @param onAnswered receives the error that ended the batch
 * @param observe receives the seconds until the answer
 * @returns resolves when they are sent; rejects when no connection is to be had
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
 * Several prepared statements in one write, with one Sync and so in one transaction: when one fails, PostgreSQL undoes
 * those before it and skips those after it. Given to `client.query` like a {@link PreparedQuery}.
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

  /** The client records it as prepared when PostgreSQL has parsed it. */
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
