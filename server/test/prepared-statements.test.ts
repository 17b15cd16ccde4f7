import assert from "node:assert/strict";
import { test } from "node:test";
import { type Db, runPrepared, runRaw } from "../src/db/database.ts";
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
