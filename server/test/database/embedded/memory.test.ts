import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "../../../src/db/database.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { onPostgres, openTestDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";

/** PostgreSQL stores its data on a disk. */
if (!onPostgres) {
  test("databases in memory that start from one dump share its rows, but no later writes", async () => {
    const first = await openTestDatabase();
    await runSql(
      first.db,
      "CREATE TABLE dumped AS SELECT n, repeat('x', 3000) AS text FROM generate_series(1, 2000) n",
    );
    const snapshot = await first.dump!();
    await first.close();
    const open = () => openDatabase({ dataDir: "memory", snapshot, logger: createLogger("silent") });
    const [one, other] = [await open(), await open()];
    const count = async ({ db }: typeof one) =>
      (await runSql<{ n: number }>(db, "SELECT count(*)::integer AS n FROM dumped WHERE text NOT LIKE 'y%'"))[0]!.n;
    await runSql(one.db, "UPDATE dumped SET text = repeat('y', 3000) WHERE n <= 500");
    await runSql(one.db, "DELETE FROM dumped WHERE n > 1900");
    await runSql(one.db, "CHECKPOINT");
    assert.deepEqual([await count(one), await count(other)], [1400, 2000]);
    await runSql(other.db, "INSERT INTO dumped SELECT n, 'z' FROM generate_series(1, 100) n");
    await runSql(other.db, "CHECKPOINT");
    assert.deepEqual([await count(one), await count(other)], [1400, 2100]);
    await one.close();
    await other.close();
  });
}
