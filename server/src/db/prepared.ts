import pg from "pg";
import { PreparedQuery } from "./prepared-query.ts";
import { NO_TIME_LIMIT } from "./time-limit.ts";

/** The query builder hands a driver nothing but text, so the wish to be prepared travels in a comment at its head. */
const MARK = /^\/\* prepared: ([a-z-]+) \*\//;

/** `statement`, marked to be prepared under `name` (a constant of the code, never input). */
export function markPrepared(name: string, statement: string): string {
  return `/* prepared: ${name} */${statement}`;
}

/**
 * A connection that prepares marked statements once and from then on sends only their parameters. Planning the
 * telemetry statement costs as much as storing twenty rows with it.
 */
export class PreparingClient extends pg.Client {
  /** The driver's own time limit, put aside until the transaction that lifted it ends. */
  #limit: number | undefined;

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has a dozen shapes, all passed through
  override query(...args: any[]): any {
    const [text, ...rest] = args;
    this.#followLimit(text);
    const name = typeof text === "string" ? MARK.exec(text)?.[1] : undefined;
    const query = super.query as (...passed: unknown[]) => unknown;
    if (name === undefined) return query.apply(this, args);
    const [values, ...callback] = rest;
    const prepared = new PreparedQuery(name, text, values);
    if (callback.length > 0) return query.call(this, prepared, ...callback);
    return new Promise((resolve, reject) => {
      query.call(this, prepared, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
    });
  }

  #followLimit(text: unknown): void {
    const { connectionParameters } = this as unknown as { connectionParameters: { query_timeout: number } };
    if (text === NO_TIME_LIMIT) {
      this.#limit ??= connectionParameters.query_timeout;
      connectionParameters.query_timeout = 0;
    } else if (this.#limit !== undefined && (text === "commit" || text === "rollback")) {
      connectionParameters.query_timeout = this.#limit;
      this.#limit = undefined;
    }
  }
}
