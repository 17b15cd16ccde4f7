import { PostgresQueryCompiler, type RawBuilder, type RootOperationNode, sql } from "kysely";
import { coalescerOf } from "./coalesce-reads.ts";
import { pipelineOf } from "./pipeline.ts";
import type { BoundStatement, Db } from "./types.ts";

export type { BoundStatement } from "./types.ts";

/** The parameters of a statement by name, each usable in a `sql` template as often as needed. */
export type Parameters<Params> = { readonly [Name in keyof Params]-?: RawBuilder<Params[Name]> };

/** The parameters of a statement without any. */
export type NoParameters = Record<never, never>;

/** A statement that is compiled once. A PostgreSQL connection prepares it when it first runs it. */
export class Statement<Params extends object, Row> {
  readonly name: string;
  readonly sql: string;
  /** The names of the values `$1`, `$2`, …. */
  readonly #order: readonly string[];
  readonly #query: RootOperationNode;
  readonly #queryId: { readonly queryId: string };

  constructor(name: string, template: RawBuilder<unknown>) {
    this.name = name;
    this.#queryId = { queryId: name };
    const compiler = new StatementCompiler();
    const { query, sql: text } = compiler.compileQuery(template.toOperationNode() as RootOperationNode, this.#queryId);
    this.#query = query;
    this.sql = text;
    this.#order = compiler.order;
    reserveName(name, text);
  }

  /** Binds values to the statement, to be run by `runPipelined`. */
  with(params: Params): BoundStatement<Row> {
    const named = params as Record<string, unknown>;
    const order = this.#order;
    const parameters = new Array<unknown>(order.length);
    for (let i = 0; i < order.length; i++) parameters[i] = timeAsText(named[order[i]!]);
    return { sql: this.sql, parameters, statementName: this.name, query: this.#query, queryId: this.#queryId };
  }
}

/**
 * Declares a frequent statement. `name` permanently identifies it on every connection; `build` writes its SQL, with
 * `p.x` for the value `x`. Cast a parameter (`${p.x}::text`) if PostgreSQL cannot infer its type.
 *
 * @throws Error for a name that another text has, and for a value in the template that is not a parameter
 */
export function statement<Params extends object, Row>(
  name: string,
  build: (p: Parameters<Params>) => RawBuilder<unknown>,
): Statement<Params, Row> {
  return new Statement<Params, Row>(name, build(parameters as Parameters<Params>));
}

/** Runs a statement on `db`, alone or as part of its transaction. */
export async function runStatement<Params extends object, Row>(
  db: Db,
  declared: Statement<Params, Row>,
  params: NoInfer<Params>,
): Promise<Row[]> {
  return await runBound(db, declared.with(params));
}

/**
 * Runs a short read-only statement. On PostgreSQL the reads requested in one turn of the event loop are sent together,
 * yet each is answered or refused on its own. Within a transaction it runs in that transaction.
 */
export async function readStatement<Params extends object, Row>(
  db: Db,
  declared: Statement<Params, Row>,
  params: NoInfer<Params>,
): Promise<Row[]> {
  return await readBound(db, declared.with(params));
}

/**
 * Runs statements in order in one transaction, or in that of `db`; each sees the effects of those before it. On
 * PostgreSQL they are sent in one round trip. If one fails, none takes effect.
 */
export async function runPipelined(db: Db, statements: readonly BoundStatement[]): Promise<void> {
  const pipeline = pipelineOf(db);
  if (statements.length === 1 || db.isTransaction) {
    for (const bound of statements) await runBound(db, bound);
  } else if (pipeline === undefined) {
    await db.transaction().execute((tx) => runPipelined(tx, statements));
  } else {
    await pipeline(statements);
  }
}

export async function runBound<Row>(db: Db, bound: BoundStatement<Row>): Promise<Row[]> {
  return (await db.executeQuery<Row>(bound)).rows;
}

export async function readBound<Row>(db: Db, bound: BoundStatement<Row>): Promise<Row[]> {
  const coalescer = coalescerOf(db);
  return coalescer === undefined ? await runBound(db, bound) : ((await coalescer(bound)) as Row[]);
}

/**
 * Converts a Date to ISO 8601, which both drivers pass on unchanged; pg formats a Date field by field, which takes ten
 * times as long.
 */
function timeAsText(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** Statement name → text. */
const texts = new Map<string, string>();

/** Returns every statement declared so far: name → text. */
export function declaredStatements(): ReadonlyMap<string, string> {
  return texts;
}

/** Records the name of a statement. @throws Error if `name` identifies another text */
function reserveName(name: string, text: string): void {
  const known = texts.get(name);
  if (known === undefined) texts.set(name, text);
  else if (known !== text) throw new Error(`two statements are named ${name}: a name must stand for one text`);
}

/** The placeholder of a named value in a template. */
class Marker {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The `p` of every declaration: any property is a parameter of that name. TypeScript permits only declared ones. */
const parameters = new Proxy<object>({}, { get: (_target, name) => sql`${new Marker(String(name))}` });

/** Compiles to one `$n` per name, however often the name occurs. */
class StatementCompiler extends PostgresQueryCompiler {
  readonly order: string[] = [];

  protected override appendValue(value: unknown): void {
    if (!(value instanceof Marker)) {
      throw new Error(`the value ${String(value)} in a statement is not a parameter: write it as sql.lit(…)`);
    }
    let at = this.order.indexOf(value.name);
    if (at === -1) at = this.order.push(value.name) - 1;
    this.append(`$${at + 1}`);
  }
}
