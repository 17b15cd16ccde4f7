import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onPostgres, openTestDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";

/** PostgreSQL has autovacuum and a checkpointer. */
if (!onPostgres) {
  const ROWS = 2000;
  const WARM_UP_ROUNDS = 8;
  const ROUNDS = 40;

  let database: Awaited<ReturnType<typeof openTestDatabase>>;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  const query = <Row = Record<string, unknown>>(text: string) => runSql<Row>(database.db, text);

  /** Statistics are delayed unless they are flushed. */
  async function maintain(): Promise<void> {
    await query("SELECT pg_stat_force_next_flush()");
    await database.maintain();
  }

  async function bytes(expression: string): Promise<number> {
    const [row] = await query<{ bytes: string }>(`SELECT (${expression})::bigint AS bytes`);
    return Number(row!.bytes);
  }

  test("a table is analyzed after its first rows, and again when it has doubled", async () => {
    await query("CREATE TABLE counted (n integer PRIMARY KEY, text text)");
    const known = async () => (await query("SELECT reltuples AS n FROM pg_class WHERE relname = 'counted'"))[0]!.n;
    assert.equal(await known(), -1);
    await query("INSERT INTO counted SELECT n, 'first' FROM generate_series(1, 10) n");
    await maintain();
    assert.equal(await known(), 10);
    await query("INSERT INTO counted SELECT n, repeat('x', 100) FROM generate_series(11, 500) n");
    await maintain();
    assert.equal(await known(), 500);
  });

  test("a table whose rows change is analyzed again, at most once per minute", async () => {
    await query("CREATE TABLE changing (n integer PRIMARY KEY, state text)");
    await query("INSERT INTO changing SELECT n, 'new' FROM generate_series(1, 500) n");
    const states = async () =>
      (
        await query(
          "SELECT most_common_vals::text AS s FROM pg_stats WHERE tablename = 'changing' AND attname = 'state'",
        )
      )[0]?.s;
    await maintain();
    assert.equal(await states(), "{new}");
    await query("UPDATE changing SET state = 'changed' WHERE n <= 300");
    await maintain();
    assert.equal(await states(), "{new}");
    await query("SELECT pg_stat_reset_single_table_counters('changing'::regclass)");
    await query("UPDATE changing SET state = 'changed' WHERE n > 300");
    await maintain();
    assert.equal(await states(), "{changed}");
  });

  test("endless updates do not increase the size of a table, its indexes and the log", async () => {
    await query("CREATE TABLE updated (n integer PRIMARY KEY, changed integer, text text)");
    await query("CREATE INDEX ON updated (changed)");
    await query(`INSERT INTO updated SELECT n, 0, repeat('x', 200) FROM generate_series(1, ${ROWS}) n`);
    const redo = () => bytes("SELECT pg_wal_lsn_diff(redo_lsn, '0/0') FROM pg_control_checkpoint()");
    const [redoBefore, sizes] = [await redo(), [] as number[]];
    for (let round = 1; round <= ROUNDS; round++) {
      await query("UPDATE updated SET changed = changed + 1");
      await maintain();
      if (round === WARM_UP_ROUNDS || round === ROUNDS) sizes.push(await bytes("pg_total_relation_size('updated')"));
    }
    const [early, late] = sizes as [number, number];
    assert.ok(late <= early * 1.2, `${early} bytes after ${WARM_UP_ROUNDS} rounds, ${late} after ${ROUNDS}`);
    assert.ok((await redo()) > redoBefore, "no checkpoint was made");
    const log = await bytes("SELECT sum(size) FROM pg_ls_waldir()");
    assert.ok(log <= 80 * 1024 * 1024, `the log has ${log} bytes`);
  });

  test("a partitioned table is not vacuumed, because it has neither rows nor transactions itself", async () => {
    const parents = await query<{ name: string }>("SELECT relname AS name FROM pg_class WHERE relkind = 'p'");
    for (const { name } of parents)
      if (/\d$/.test(name)) await query(`CREATE TABLE ${name}_others PARTITION OF ${name} DEFAULT`);
    for (let turn = 0; turn < 5; turn++) await maintain();
    await query("SELECT pg_stat_force_next_flush()");
    const cleaned = "SELECT sum(vacuum_count) FROM pg_stat_user_tables WHERE relname LIKE '%_others'";
    assert.equal(await bytes(cleaned), 0);
  });

  test("catalog tables are vacuumed too", async () => {
    for (let n = 0; n < 80; n++) {
      await query(`CREATE TABLE short_lived (${Array.from({ length: 20 }, (_, c) => `c${c} integer`).join(", ")})`);
      await query("DROP TABLE short_lived");
    }
    const obsolete = () => bytes("SELECT n_dead_tup FROM pg_stat_sys_tables WHERE relname = 'pg_attribute'");
    await query("SELECT pg_stat_force_next_flush()");
    assert.ok((await obsolete()) > 1500);
    for (let turn = 0; turn < 10; turn++) await maintain();
    await query("SELECT pg_stat_force_next_flush()");
    assert.ok((await obsolete()) < 500, `${await obsolete()} rows of dropped columns`);
  });
}
