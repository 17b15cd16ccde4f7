/** The next version migrates a database that other processes use, or one at which a migration was interrupted. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { onPostgres } from "../harness/database/database.ts";
import { nextMigrations } from "../harness/database/next-version.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { eventually } from "../harness/eventually.ts";
import { emptyDatabase } from "./empty-database.ts";

/** Its first step alters `roll_up_marks`, its second builds indexes. */
const CURRENT = migrations.length;
const NEXT = nextMigrations.length;

const testOnPostgres = onPostgres ? test : () => undefined;

/** A database of this version, or with the next version's steps up to `steps`; `processes` open it. */
async function databaseAt(t: TestContext, steps = CURRENT, processes = 1) {
  const { url, open, remove } = await emptyDatabase();
  const opened: Database[] = [];
  t.after(async () => {
    for (const database of opened) await database.close();
    await remove();
  });
  while (opened.length < processes) opened.push(await open());
  const [database] = opened as [Database];
  await migrate(database, nextMigrations.slice(0, steps));
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
      WHERE relname IN ('planted_deliveries', 'planted_tickets') ORDER BY 1`,
  );
}
const VALID = ["planted_deliveries", "planted_tickets"].map((name) => ({ name, valid: true }));

/** A transaction of another process that uses a table until it is ended. */
async function useTable(url: string, table: string): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
  return { end: () => client.end() };
}

/** The first index of `deliveries`. Each statement, also of a test, delays the index that is built while it runs. */
const BUILDING = "CREATE INDEX CONCURRENTLY IF NOT EXISTS planted_deliveries";
const SESSIONS_THAT_WAIT =
  "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(query, $1)";

/** How many sessions wait for a lock with a statement of this beginning. */
async function waiting(query: Query, beginning: string): Promise<number> {
  return (await query(`SELECT ${SESSIONS_THAT_WAIT}`, [beginning])).length;
}

test("a step that fails leaves the steps before it applied, and the next start goes on with it", async (t) => {
  const { database, query } = await databaseAt(t);
  await query("CREATE TABLE planted_tickets ()");
  const failing = nextMigrations.map((step) =>
    step.number === NEXT ? { ...step, indexes: [], sql: `${step.sql}CREATE TABLE planted_tickets ();` } : step,
  );
  await assert.rejects(migrate(database, failing), /planted_tickets/);
  assert.equal(await applied(query), NEXT - 1);
  await query("DROP TABLE planted_tickets");
  await Promise.all([migrate(database, nextMigrations), migrate(database, nextMigrations)]);
  assert.equal(await applied(query), NEXT);
  assert.deepEqual(await validity(query), VALID);
});

testOnPostgres("nodes of the previous version write heartbeats and rows while indexes are built", async (t) => {
  const { url, opened, database, query } = await databaseAt(t, NEXT - 1, 2);
  await query(
    "INSERT INTO broker_nodes (id, started_at, beat_at, schema_number) VALUES (gen_random_uuid(), now(), now(), 1)",
  );
  const other = await useTable(url, "deliveries");
  const migrating = Promise.all(opened.map((process) => migrate(process, nextMigrations)));
  assert.ok(await eventually(async () => (await waiting(query, BUILDING)) === 1));
  const written = await query("UPDATE broker_nodes SET beat_at = now() + interval '1 s' RETURNING 1");
  assert.equal(written.length, 1);
  await query("DELETE FROM deliveries WHERE tenant_id = gen_random_uuid()");
  assert.equal(await applied(query), NEXT - 1);
  await other.end();
  await migrating;
  assert.equal(await applied(query), NEXT);
  assert.deepEqual(await validity(query), VALID);
  await migrate(database, nextMigrations);
});

testOnPostgres(
  "the next start builds again what a killed one has left of an index, and uses an index that is built",
  async (t) => {
    const { url, opened, query } = await databaseAt(t, NEXT - 1, 2);
    const [killed, next] = opened as [Database, Database];
    await query("CREATE INDEX planted_tickets ON tickets (tenant_id, title, id)");
    const built = () => query("SELECT 'planted_tickets'::regclass::oid AS id");
    const unfinished = () => query("SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid");
    const before = await built();
    const other = await useTable(url, "deliveries");
    const ended = assert.rejects(migrate(killed, nextMigrations), /terminating connection/);
    assert.ok(await eventually(async () => (await waiting(query, BUILDING)) === 1));
    await query(`SELECT pg_terminate_backend(pid) ${SESSIONS_THAT_WAIT}`, [BUILDING]);
    await ended;
    assert.deepEqual(await unfinished(), [{ name: "planted_deliveries" }]);
    await other.end();
    await migrate(next, nextMigrations);
    assert.deepEqual(await unfinished(), []);
    assert.deepEqual(await built(), before);
  },
);

testOnPostgres("what waits for a table behind a step goes on before the step has it", async (t) => {
  const { url, database, query } = await databaseAt(t);
  const other = await useTable(url, "roll_up_marks");
  const migrating = migrate(database, nextMigrations);
  assert.ok(await eventually(async () => (await waiting(query, "ALTER TABLE roll_up_marks")) === 1));
  await query("DELETE FROM roll_up_marks WHERE device_uid = gen_random_uuid()");
  assert.equal(await applied(query), CURRENT);
  await other.end();
  await migrating;
  assert.equal(await applied(query), NEXT);
});
