import { CompiledQuery } from "kysely";
import { type BoundStatement, readBound, reserveName, runBound, runPipelined, timeAsText } from "./statement.ts";
import type { Db } from "./types.ts";

// Statements with positional parameters. New code declares a `statement` instead; this file goes with its last caller.

/** Runs one hand-written statement, not prepared. */
export async function runRaw<Row>(db: Db, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, parameters as unknown[]) as CompiledQuery<Row>);
  return rows;
}

/** Like `runStatement`. */
export function runPrepared<Row>(db: Db, name: string, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  return runBound(db, bind<Row>({ name, text, parameters }));
}

/** Like `readStatement`. */
export function readPrepared<Row>(db: Db, name: string, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  return readBound(db, bind<Row>({ name, text, parameters }));
}

/** A prepared statement that is yet to be run. */
export interface Statement {
  name: string;
  text: string;
  parameters: readonly unknown[];
}

export function runStatement<Row>(db: Db, statement: Statement): Promise<Row[]> {
  return runBound(db, bind<Row>(statement));
}

/** Like `runPipelined`, which takes the bound ones only. */
export async function runTogether(db: Db, statements: readonly (Statement | BoundStatement)[]): Promise<void> {
  await runPipelined(
    db,
    statements.map((one) => ("statementName" in one ? one : bind(one))),
  );
}

function bind<Row>({ name, text, parameters }: Statement): BoundStatement<Row> {
  reserveName(name, text);
  return { ...CompiledQuery.raw(text, parameters.map(timeAsText)), statementName: name };
}
