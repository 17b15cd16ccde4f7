import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/database.ts";
import { runPipelined, runStatement, statement } from "../../src/db/statement.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { onPostgres, testDatabase } from "../harness/database/database.ts";

// The embedded database is a part of the process: it has no connections that end.
const postgresTest = onPostgres ? test : () => undefined;

const end = statement<{ one: number }, { ended: boolean }>(
  "test-end-session",
  (p) => sql`SELECT pg_terminate_backend(pg_backend_pid()) AS ended, ${p.one}::int`,
);
const count = statement<{ one: number }, { one: number }>("test-count-one", (p) => sql`SELECT ${p.one}::int AS one`);

postgresTest("a statement after one that ended its connection runs on a new connection", async () => {
  const { url, remove } = await testDatabase();
  const database = await openDatabase({
    url: url!,
    dataDir: "memory",
    snapshot: undefined,
    pools: { main: 1, ingest: 1, connects: 1 },
    logger: createLogger("silent"),
  });
  const { db } = database;
  const ended = { code: "57P01" };
  try {
    for (let n = 0; n < 5; n++) {
      await assert.rejects(runStatement(db, end, { one: 1 }), ended);
      assert.deepEqual(await runStatement(db, count, { one: n }), [{ one: n }]);
      await assert.rejects(runPipelined(db, [end.with({ one: 1 }), count.with({ one: 1 })]), ended);
      assert.deepEqual(await runStatement(db, count, { one: n }), [{ one: n }]);
    }
  } finally {
    await database.close();
    await remove();
  }
});
