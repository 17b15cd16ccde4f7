import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/database.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { onPostgres, testDatabase } from "../harness/database/database.ts";
import { databaseProxy } from "../harness/database/database-proxy.ts";
import { ask } from "../harness/database/postgres.ts";

// The embedded database is a part of the process: it has no connections that stop.
const postgresTest = onPostgres ? test : () => undefined;

postgresTest("rows stored after a BEGIN that PostgreSQL executed too late are committed", async () => {
  const { url, remove } = await testDatabase();
  const proxy = await databaseProxy(url!);
  const database = await openDatabase({
    url: proxy.url,
    dataDir: "memory",
    snapshot: undefined,
    timeLimits: { connectMs: 60_000, statementMs: 1_000 },
    pools: { main: 1, ingest: 1, connects: 1 },
    logger: createLogger("silent"),
  });
  try {
    await sql`SELECT 1`.execute(database.db);
    proxy.pause();
    await assert.rejects(
      database.db.transaction().execute(async () => undefined),
      /timeout/,
    );
    proxy.heal();
    await sql`INSERT INTO settings (key, value) VALUES ('stored', 'after it')`.execute(database.db);
    assert.deepEqual(await ask(url!, "SELECT value FROM settings WHERE key = 'stored'"), [{ value: "after it" }]);
  } finally {
    await database.close();
    await proxy.close();
    await remove();
  }
});
