import assert from "node:assert/strict";
import { test } from "node:test";
import { type RawBuilder, sql } from "kysely";
import { type NoParameters, runStatement, statement } from "./statement.ts";
import type { Db } from "./types.ts";

interface Move {
  from: string;
  to: string;
  at: Date;
}

const move = statement<Move, { moved: number }>(
  "unit-move",
  (p) => sql`UPDATE t SET place = ${p.to}, moved_at = ${p.at} WHERE place = ${p.from} AND place <> ${p.to}`,
);

test("the text has one number per name, and the values follow that order", () => {
  const { sql: text, parameters, statementName } = move.with({ from: "a", to: "b", at: new Date(0) });
  assert.equal(text, "UPDATE t SET place = $1, moved_at = $2 WHERE place = $3 AND place <> $1");
  assert.deepEqual(parameters, ["b", "1970-01-01T00:00:00.000Z", "a"]);
  assert.equal(statementName, "unit-move");
});

test("every call binds its own values to the same text", () => {
  const first = move.with({ from: "a", to: "b", at: new Date(0) });
  const second = move.with({ from: "c", to: "d", at: new Date(1) });
  assert.deepEqual(first.parameters, ["b", "1970-01-01T00:00:00.000Z", "a"]);
  assert.deepEqual(second.parameters, ["d", "1970-01-01T00:00:00.001Z", "c"]);
  assert.equal(first.sql, second.sql);
});

test("fragments compose, and share the numbers of the statement", () => {
  const unseen = (since: RawBuilder<Date>) => sql`(seen IS NULL OR seen < ${since})`;
  const { sql: text } = statement<{ id: string; now: Date }, NoParameters>(
    "unit-fragments",
    (p) => sql`UPDATE t SET seen = ${p.now} WHERE id = ${p.id} AND ${unseen(p.now)} LIMIT ${sql.lit(3)}`,
  );
  assert.equal(text, "UPDATE t SET seen = $1 WHERE id = $2 AND (seen IS NULL OR seen < $1) LIMIT 3");
});

test("a statement without parameters takes none", () => {
  const now = statement<NoParameters, { now: Date }>("unit-now", () => sql`SELECT now()`);
  assert.deepEqual(now.with({}).parameters, []);
});

test("a name identifies one text", () => {
  const declare = (column: string) =>
    statement<NoParameters, object>("unit-name", () => sql`SELECT ${sql.ref(column)}`);
  declare("a");
  declare("a");
  assert.throws(() => declare("b"), /two statements are named unit-name/);
});

test("a value in the template that is not a parameter is refused", () => {
  assert.throws(() => statement<NoParameters, object>("unit-value", () => sql`SELECT ${7}`), /the value 7 .* sql\.lit/);
});

test("names and types of parameters and rows are checked by the compiler", () => {
  const notRun = async (db: Db) => {
    // @ts-expect-error a name is missing
    move.with({ from: "a", to: "b" });
    // @ts-expect-error a name that was not declared
    move.with({ from: "a", to: "b", at: new Date(0), why: "" });
    // @ts-expect-error a value of another type
    move.with({ from: "a", to: 1, at: new Date(0) });
    // @ts-expect-error the same through runStatement
    await runStatement(db, move, { from: "a", to: "b", at: new Date(0), why: "" });
    const [row] = await runStatement(db, move, { from: "a", to: "b", at: new Date(0) });
    const moved: number | undefined = row?.moved;
    // @ts-expect-error a column that a row does not have
    return [moved, row?.gone];
  };
  assert.equal(typeof notRun, "function");
  statement<{ id: string }, object>("unit-undeclared", (p) => {
    // @ts-expect-error a parameter that was not declared
    return sql`SELECT ${p.id}, ${p.name}`;
  });
});
