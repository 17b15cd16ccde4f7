import { type RawBuilder, sql } from "kysely";
import { RequestBatcher } from "../lib/batching/request-batcher.ts";
import { plainArray, textArray } from "./array-literal.ts";
import { isDataException } from "./refusal.ts";
import { readStatement, type Statement, statement } from "./statement.ts";
import type { Db } from "./types.ts";

/** A type of key values. Values of `text` must not contain NUL. */
export type KeyType = "uuid" | "text" | "timestamptz";

/** The columns of `asked` by name. */
export type Asked<Key> = { readonly [Column in keyof Key & string]: RawBuilder<Key[Column]> };

type KeyColumns<Key> = Readonly<Record<keyof Key & string, KeyType>>;
type Numbered<Row> = Row & { readonly nth: number };

/** A read of at most one row by key, as one statement for any number of keys. */
export interface KeyedRead<Key extends object, Row> {
  readonly columns: KeyColumns<Key>;
  readonly statement: Statement<Record<string, string>, Numbered<Row>>;
}

/**
 * Declares a short, frequent read by key. `name` permanently identifies its statement. `build` writes the SELECT for
 * one key, whose values are the columns of `asked`. The keys are looked up one by one, whatever the planner estimates:
 * LIMIT keeps it from joining `asked` with a table that it reads completely.
 */
export function keyedRead<Key extends object, Row>(
  name: string,
  columns: KeyColumns<Key>,
  build: (asked: Asked<Key>) => RawBuilder<unknown>,
): KeyedRead<Key, Row> {
  const names = Object.keys(columns) as (keyof Key & string)[];
  const asked = Object.fromEntries(names.map((column) => [column, sql.ref(`asked.${column}`)])) as Asked<Key>;
  return {
    columns,
    statement: statement<Record<string, string>, Numbered<Row>>(name, (p) => {
      const arrays = names.map((column) => sql`${p[column]!}::text::${sql.raw(columns[column])}[]`);
      const labels = sql.join([...names, "nth"].map((column) => sql.id(column)));
      return sql`SELECT asked.nth, found.* FROM unnest(${sql.join(arrays)}) WITH ORDINALITY AS asked (${labels})
        CROSS JOIN LATERAL (${build(asked)} LIMIT 1) AS found`;
    }),
  };
}

/** The maximum number of keys per statement: with more, the first answer would wait for the last row. */
const MOST_AT_ONCE = 64;

type Batcher = RequestBatcher<object, object | undefined>;
const batchers = new WeakMap<Db, Map<KeyedRead<never, unknown>, Batcher>>();

/**
 * Returns the row of a key, or `undefined` if there is none. Reads of one turn of the event loop, and those that arrive
 * while a statement runs, share a statement: its start and its round trip cost more than about ten rows. Within a
 * transaction each read is a statement of its own.
 */
export async function readByKey<Key extends object, Row extends object>(
  db: Db,
  read: KeyedRead<Key, Row>,
  key: NoInfer<Key>,
): Promise<Row | undefined> {
  if (db.isTransaction) return (await readAll(db, read, [key]))[0];
  return (await batcherOf(db, read as KeyedRead<never, object>).ask(key)) as Row | undefined;
}

function batcherOf(db: Db, read: KeyedRead<never, object>): Batcher {
  const ofDb = batchers.get(db) ?? new Map<KeyedRead<never, unknown>, Batcher>();
  batchers.set(db, ofDb);
  const known = ofDb.get(read);
  if (known) return known;
  const batcher: Batcher = new RequestBatcher({
    most: MOST_AT_ONCE,
    run: (keys: object[]) => readAll(db, read as unknown as KeyedRead<object, object>, keys),
    failsWholeBatch: (error) => !isDataException(error),
  });
  ofDb.set(read, batcher);
  return batcher;
}

async function readAll<Key extends object, Row>(
  db: Db,
  { columns, statement: declared }: KeyedRead<Key, Row>,
  keys: readonly Key[],
): Promise<(Row | undefined)[]> {
  const arrays = Object.entries<KeyType>(columns).map(([column, type]) => {
    return [
      column,
      arrayOf(
        type,
        keys.map((key) => key[column as keyof Key]),
      ),
    ] as const;
  });
  const answers = new Array<Row | undefined>(keys.length).fill(undefined);
  for (const row of await readStatement(db, declared, Object.fromEntries(arrays))) answers[Number(row.nth) - 1] = row;
  return answers;
}

function arrayOf(type: KeyType, values: readonly unknown[]): string {
  if (type === "text") return textArray(values as readonly (string | undefined)[]);
  return plainArray(
    values.map((value) => (value instanceof Date ? value.toISOString() : (value as string | undefined))),
  );
}
