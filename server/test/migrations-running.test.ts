/** Migrations of a database that other processes use, and of one at which a migration was interrupted. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import type { Database } from "../src/db/database.ts";
import { migrate, SCHEMA_NUMBER } from "../src/db/migrate.ts";
import { eventually } from "./broker/environment.ts";
import { onPostgres } from "./harness/database.ts";
import { emptyDatabase } from "./harness/empty-database.ts";
import { runSql } from "./harness/run-sql.ts";

/** Without the indexes of lists. */
const BEFORE_INDEXES = 70;
/** Step 68 locks `roll_up_marks`. */
const BEFORE_TURNS = 67;

const testOnPostgres = onPostgres ? test : () => undefined;

/** A database at an earlier schema; `processes` open it. */
async function databaseAt(t: TestContext, schema: number, processes = 1) {
  const { url, open, remove } = await emptyDatabase();
  const opened: Database[] = [];
  t.after(async () => {
    for (const database of opened) await database.close();
    await remove();
  });
  while (opened.length < processes) opened.push(await open());
  const [database] = opened as [Database];
  await migrate(database, schema);
  const query = <Row>(text: string, parameters: unknown[] = []) => runSql<Row>(database.db, text, parameters);
  return { url: url!, opened, database, query };
}

type Query = Awaited<ReturnType<typeof databaseAt>>["query"];

async function applied(query: Query): Promise<number> {
  return (await query("SELECT FROM schema_migrations")).length;
}

/** Whether indexes that are to be had can be used. */
function validity(query: Query): Promise<unknown[]> {
  return query(
    `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class c ON c.oid = indexrelid
      WHERE relname IN ('deliveries_not_sent', 'tickets_by_change') ORDER BY 1`,
  );
}
const VALID = ["deliveries_not_sent", "tickets_by_change"].map((name) => ({ name, valid: true }));

/** A transaction of another process that uses a table until it is ended. */
async function useTable(url: string, table: string): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
  return { end: () => client.end() };
}

/** The first index of `deliveries`. Each statement, also of a test, delays the index that is built while it runs. */
const BUILDING = "CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_by_group";
const SESSIONS_THAT_WAIT =
  "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(query, $1)";

/** How many sessions wait for a lock with a statement of this beginning. */
async function waiting(query: Query, beginning: string): Promise<number> {
  return (await query(`SELECT ${SESSIONS_THAT_WAIT}`, [beginning])).length;
}

test("a step that fails leaves the steps before it applied, and the next start goes on with it", async (t) => {
  const { database, query } = await databaseAt(t, BEFORE_TURNS);
  await query("CREATE TABLE complete_nodes ()");
  await assert.rejects(migrate(database), /complete_nodes/);
  assert.equal(await applied(query), 69);
  await query("DROP TABLE complete_nodes");
  await Promise.all([migrate(database), migrate(database)]);
  assert.equal(await applied(query), SCHEMA_NUMBER);
  assert.deepEqual(await validity(query), VALID);
});

testOnPostgres("nodes of the version before write heartbeats and rows while indexes are built", async (t) => {
  const { url, opened, database, query } = await databaseAt(t, BEFORE_INDEXES, 2);
  await query("INSERT INTO broker_nodes (id, started_at, beat_at) VALUES (gen_random_uuid(), now(), now())");
  const other = await useTable(url, "deliveries");
  const migrating = Promise.all(opened.map((process) => migrate(process)));
  assert.ok(await eventually(async () => (await waiting(query, BUILDING)) === 1));
  const written = await query("UPDATE broker_nodes SET beat_at = now() + interval '1 s' RETURNING 1");
  assert.equal(written.length, 1);
  await query("DELETE FROM deliveries WHERE tenant_id = gen_random_uuid()");
  assert.equal(await applied(query), BEFORE_INDEXES);
  await other.end();
  await migrating;
  assert.equal(await applied(query), SCHEMA_NUMBER);
  assert.deepEqual(await validity(query), VALID);
  await migrate(database);
});

testOnPostgres(
  "the next start builds again what a killed one has left of an index, and uses an index that is built",
  async (t) => {
    const { url, opened, query } = await databaseAt(t, BEFORE_INDEXES, 2);
    const [killed, next] = opened as [Database, Database];
    await query("CREATE INDEX tickets_by_change ON tickets (tenant_id, updated_at, id)");
    const built = () => query("SELECT 'tickets_by_change'::regclass::oid AS id");
    const unfinished = () => query("SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid");
    const before = await built();
    const other = await useTable(url, "deliveries");
    const ended = assert.rejects(migrate(killed), /terminating connection/);
    assert.ok(await eventually(async () => (await waiting(query, BUILDING)) === 1));
    await query(`SELECT pg_terminate_backend(pid) ${SESSIONS_THAT_WAIT}`, [BUILDING]);
    await ended;
    assert.deepEqual(await unfinished(), [{ name: "deliveries_by_group" }]);
    await other.end();
    await migrate(next);
    assert.deepEqual(await unfinished(), []);
    assert.deepEqual(await built(), before);
  },
);

testOnPostgres("what waits for a table behind a step goes on before the step has it", async (t) => {
  const { url, database, query } = await databaseAt(t, BEFORE_TURNS);
  const other = await useTable(url, "roll_up_marks");
  const migrating = migrate(database);
  assert.ok(await eventually(async () => (await waiting(query, "LOCK TABLE roll_up_marks")) === 1));
  await query("DELETE FROM roll_up_marks WHERE device_uid = gen_random_uuid()");
  assert.equal(await applied(query), BEFORE_TURNS);
  await other.end();
  await migrating;
  assert.equal(await applied(query), SCHEMA_NUMBER);
});
