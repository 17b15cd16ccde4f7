import type { PreparedQuery, Wire } from "./prepared-query.ts";

/**
 * Several prepared statements in one write and one answer. They share a transaction, which the first that fails ends for those
 * behind it too; so it is for reads. It is given to `client.query` like a {@link PreparedQuery}.
 */
export class PreparedBatch {
  /** Set by the client; called once, with the error that ended the batch. */
  callback: ((error: Error | null) => void) | undefined;
  readonly #queries: readonly PreparedQuery[];
  /** Which is being answered. */
  #at = 0;

  constructor(queries: readonly PreparedQuery[]) {
    this.#queries = queries;
  }

  /** What the client notes as prepared when PostgreSQL says so. */
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
