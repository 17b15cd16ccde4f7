import pg from "pg";

/** What of pg's connection these use (pg 8.23, lib/connection.js). */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** Name → text of what this connection has prepared; the client notes it. */
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

/** How a row of a statement is read. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  readonly empty: Readonly<Record<string, unknown>>;
}

/** Statement name → shape: a name means one text, and a text has one shape. */
const shapes = new Map<string, Shape>();

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * A statement that a connection prepares once; from then on only its parameters and rows travel. pg's own query has the columns
 * described with every run and makes their parsers anew, which for a short answer is most of its work. It is given to
 * `client.query`, which calls these methods: the interface that pg-cursor uses too.
 */
export class PreparedQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Set, and replaced, by the client. */
  callback: ((error: Error | null, result?: PreparedResult) => void) | undefined;
  #shape: Shape | undefined;
  #unreadable: Error | undefined;
  readonly #result: PreparedResult = { command: "", rowCount: 0, rows: [] };

  constructor(name: string, text: string, values: readonly unknown[] = []) {
    this.name = name;
    this.text = text;
    this.values = values.map((value) => prepareValue(value));
  }

  submit(wire: Wire): null {
    wire.stream.cork();
    this.send(wire, new Set());
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  /** Writes everything but the end; `parsing` are the names that the same write has prepared already. */
  send(wire: Wire, parsing: Set<string>): void {
    this.#shape = shapes.get(this.name);
    if (wire.parsedStatements[this.name] === undefined && !parsing.has(this.name)) {
      wire.parse({ name: this.name, text: this.text });
      parsing.add(this.name);
    }
    wire.bind({ statement: this.name, values: this.values });
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

  /** `UPDATE 3`, `INSERT 0 1`, `SELECT 20`. */
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

  /** The same, not yet sent. */
  again(): PreparedQuery {
    const again = new PreparedQuery(this.name, this.text, this.values);
    again.callback = this.callback;
    return again;
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
