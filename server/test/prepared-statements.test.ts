import assert from "node:assert/strict";
import { test } from "node:test";
import { type Db, readPrepared, runPrepared, runRaw } from "../src/db/database.ts";
import { liftTimeLimit } from "../src/db/time-limit.ts";
import { onPostgres, openTestDatabase } from "./harness/database.ts";

test("a marked statement runs with its parameters each time, prepared once a connection on PostgreSQL", async () => {
  const database = await openTestDatabase();
  try {
    await database.db.connection().execute(async (db: Db) => {
      for (const n of [1, 2, 3]) {
        const rows = await runPrepared(db, "double", "SELECT $1::int * 2 AS twice", [n]);
        assert.deepEqual(rows, [{ twice: n * 2 }]);
      }
      await assert.rejects(runPrepared(db, "divide", "SELECT 1 / $1::int AS n", [0]), { code: "22012" });
      assert.deepEqual(await runPrepared(db, "divide", "SELECT 1 / $1::int AS n", [1]), [{ n: 1 }]);
      const prepared = await runRaw<{ name: string; runs: number }>(
        db,
        "SELECT name, (generic_plans + custom_plans)::int AS runs FROM pg_prepared_statements WHERE name = 'double'",
        [],
      );
      assert.deepEqual(prepared, onPostgres ? [{ name: "double", runs: 3 }] : []);
    });
  } finally {
    await database.close();
    await database.remove();
  }
});

test("whatever a column holds arrives as it does without preparing, the first time and any later one", async () => {
  const database = await openTestDatabase();
  const statement = `SELECT $1::int AS n, 2::bigint AS big, 1.5::float8 AS x, true AS yes, NULL::text AS nothing, 'ü,"x"' AS text,
    '2026-11-21T10:00:00.123Z'::timestamptz AS at, '{"a":[1]}'::jsonb AS json, '{a,NULL,"b c"}'::text[] AS list,
    '\\x00ff'::bytea AS bytes, gen_random_uuid() IS NOT NULL AS id`;
  const columns = (rows: unknown[]) => rows.map((row) => ({ ...(row as object) }));
  try {
    const plain = columns(await runRaw(database.db, statement, [7]));
    assert.equal((plain[0] as { big: string }).big, "2");
    for (let run = 0; run < 3; run++) {
      assert.deepEqual(columns(await runPrepared(database.db, "columns", statement, [7])), plain);
      assert.deepEqual(columns(await readPrepared(database.db, "columns", statement, [7])), plain);
    }
    assert.deepEqual(await readPrepared(database.db, "none", "SELECT 1 AS n WHERE $1::int > 1", [1]), []);
  } finally {
    await database.close();
    await database.remove();
  }
});

test("reads of one turn are answered each with its own, and a mistake in one is nobody else's", async () => {
  const database = await openTestDatabase();
  const half = (n: number) => readPrepared(database.db, "half", "SELECT 100 / $1::int AS n", [n]);
  const twice = (n: number) => readPrepared(database.db, "twice", "SELECT $1::int * 2 AS n", [n]);
  const asked = Array.from({ length: 100 }, (_, i) => ({ n: i % 7, read: i % 2 === 0 ? half : twice }));
  try {
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.allSettled(asked.map(({ n, read }) => read(n)));
      for (const [i, answer] of answers.entries()) {
        const { n, read } = asked[i]!;
        if (read === half && n === 0) assert.equal(answer.status === "rejected" && answer.reason.code, "22012");
        else
          assert.deepEqual(answer, {
            status: "fulfilled",
            value: [{ n: read === half ? Math.trunc(100 / n) : n * 2 }],
          });
      }
    }
    assert.deepEqual(await twice(21), [{ n: 42 }], "the connections are still good");
  } finally {
    await database.close();
    await database.remove();
  }
});

test("a read in a transaction sees what the transaction has written", async () => {
  const database = await openTestDatabase();
  try {
    await database.db.transaction().execute(async (tx) => {
      await runRaw(tx, "INSERT INTO settings VALUES ('seen', 'yes')", []);
      const read = (db: Db) => readPrepared(db, "setting", "SELECT value FROM settings WHERE key = $1", ["seen"]);
      assert.deepEqual(await read(tx), [{ value: "yes" }]);
      if (onPostgres) assert.deepEqual(await read(database.db), []);
    });
  } finally {
    await database.close();
    await database.remove();
  }
});

test("a request's statement is ended in time, a migration's or the doctor's is waited for", async () => {
  const database = await openTestDatabase();
  const statement = `SELECT ${onPostgres ? "pg_sleep(3)" : "1"}`;
  try {
    const hurried = runRaw(database.db, statement, []);
    const patient = database.db.transaction().execute(async (tx) => {
      await liftTimeLimit(tx);
      await runRaw(tx, statement, []);
    });
    if (onPostgres) await assert.rejects(hurried, { code: "57014" });
    else await hurried;
    await patient;
  } finally {
    await database.close();
    await database.remove();
  }
});
