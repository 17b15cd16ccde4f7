import pg from "pg";
import type { BoundStatement } from "./types.ts";

/** The part of pg's connection used here (pg 8.23, lib/connection.js). */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** Name → text of the statements prepared on this connection, maintained by pg's client. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: "P" }): void;
  execute(): void;
  sync(): void;
}

export interface PreparedResult {
  command: string;
  rowCount: number;
  rows: Record<string, unknown>[];
}

/** The columns of a statement's rows. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  readonly empty: Readonly<Record<string, unknown>>;
}

/**
 * Connections whose statements have no names: behind a pooler, the next transaction may use another connection to
 * PostgreSQL.
 */
const withoutNames = new WeakSet<object>();

/** Makes statements on this connection (pg's `client.connection`) be parsed at every run. */
export function useNoNames(wire: object): void {
  withoutNames.add(wire);
}

/** Statement name → shape: a name identifies one text, and a text has one shape. */
const shapes = new Map<string, Shape>();

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * Runs a statement that each connection prepares once; afterwards only its values and rows are sent. pg's own query
 * requests the column descriptions in every run and rebuilds their parsers, which is most of the work for a short
 * answer. Passed to `client.query`, which calls these methods (the interface of pg-cursor).
 */
export class PreparedQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** The longest that the client waits for the answer, in milliseconds; `undefined` for the pool's own limit. */
  readonly query_timeout: number | undefined;
  /** The client wraps it to stop its timer. */
  callback: ((error: Error | null, result?: PreparedResult) => void) | undefined;
  readonly #statement: BoundStatement;
  #shape: Shape | undefined;
  #unreadable: Error | undefined;
  readonly #result: PreparedResult = { command: "", rowCount: 0, rows: [] };

  constructor(statement: BoundStatement, timeoutMs?: number) {
    this.name = statement.statementName;
    this.text = statement.sql;
    this.values = statement.parameters.map((value) => prepareValue(value));
    this.query_timeout = timeoutMs;
    this.#statement = statement;
  }

  submit(wire: Wire): null {
    wire.stream.cork();
    this.send(wire, new Set());
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  /** Writes all messages except the Sync. `parsing` contains the names already prepared by the same write. */
  send(wire: Wire, parsing: Set<string>): void {
    this.#shape = shapes.get(this.name);
    const isUnnamed = withoutNames.has(wire);
    const name = isUnnamed ? "" : this.name;
    if (isUnnamed || (wire.parsedStatements[name] === undefined && !parsing.has(name))) {
      wire.parse({ name, text: this.text });
      parsing.add(name);
    }
    wire.bind({ statement: name, values: this.values });
    if (this.#shape === undefined) wire.describe({ type: "P" });
    wire.execute();
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const names = fields.map(({ name }) => name);
    const parsers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, "text"));
    this.#shape = { names, parsers, empty: Object.fromEntries(names.map((name) => [name, null])) };
    shapes.set(this.name, this.#shape);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { names, parsers, empty } = this.#shape!;
    const row = { ...empty };
    try {
      for (let i = 0; i < fields.length; i++) {
        const text = fields[i]!;
        if (text !== null) row[names[i]!] = parsers[i]!(text);
      }
    } catch (error) {
      this.#unreadable = error as Error;
    }
    this.#result.rows.push(row);
  }

  /** Parses `UPDATE 3`, `INSERT 0 1`, `SELECT 20`. */
  handleCommandComplete({ text }: { text: string }): void {
    this.#result.command = text.slice(0, text.indexOf(" "));
    this.#result.rowCount = Number(text.slice(text.lastIndexOf(" ") + 1));
  }

  handleReadyForQuery(): void {
    if (this.#unreadable) this.callback?.(this.#unreadable);
    else this.callback?.(null, this.#result);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  /** Returns an unsent copy with the same callback. */
  copy(): PreparedQuery {
    const copy = new PreparedQuery(this.#statement, this.query_timeout);
    copy.callback = this.callback;
    return copy;
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
