import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { onPostgres, openTestDatabase } from "../harness/database/database.ts";
import { nextMigrations, PLANTED } from "../harness/database/next-version.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { emptyDatabase } from "./empty-database.ts";

test("migrations are numbered from 1 without gaps", () => {
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  );
});

test("an empty database gets the schema, two processes at once included, and once more changes nothing", async () => {
  const { open, remove } = await emptyDatabase({ fresh: true });
  const database = await open();
  try {
    await Promise.all([migrate(database), migrate(database)]);
    await migrate(database);
    const tables = await database.db.introspection.getTables();
    assert.ok(tables.some(({ name }) => name === "certificates"));
    assert.equal(await applied(database), migrations.length);
  } finally {
    await database.close();
    await remove();
  }
});

test("the next version's steps keep the rows, and this version refuses the database afterwards", async () => {
  const database = await openTestDatabase();
  try {
    const tenant = "01890000-0000-7000-8000-000000000000";
    await runSql(database.db, "INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'acme', 'Acme', now())", [
      tenant,
    ]);
    await Promise.all([migrate(database, nextMigrations), migrate(database, nextMigrations)]);
    assert.equal(await applied(database), nextMigrations.length);
    assert.deepEqual(await runSql(database.db, "SELECT slug FROM tenants", []), [{ slug: "acme" }]);
    await assert.rejects(migrate(database), /run the newer version/);
  } finally {
    await database.close();
    await database.remove();
  }
});

const BEFORE = "was made by a version before 1.0, which was never released; start with an empty one";

test("a database of a version before 1.0 is refused, whichever step it was at, and stays as it is", async () => {
  for (const numbers of [[1], [1, 2, 3], Array.from({ length: 81 }, (_, index) => index + 1)]) {
    const { open, remove } = await emptyDatabase();
    const database = await open();
    try {
      await runSql(database.db, "CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL)", []);
      for (const number of numbers)
        await runSql(database.db, "INSERT INTO schema_migrations VALUES ($1, $2)", [
          number,
          number === 1 ? "foundation" : `step ${number}`,
        ]);
      const message = `This ${onPostgres ? "database" : "data folder"} ${BEFORE}`;
      await assert.rejects(migrate(database), { message });
      assert.equal(await applied(database), numbers.length);
    } finally {
      await database.close();
      await remove();
    }
  }
});

/** SQL outside functions that breaks a running process of the previous version. */
const CONTRACTING =
  /\b(DROP (TABLE|COLUMN|VIEW|FUNCTION)|RENAME|ALTER COLUMN \w+ (SET NOT NULL|(SET DATA )?TYPE)|ADD COLUMN \w+ [^,;]*NOT NULL(?![^,;]*DEFAULT))\b/i;
/** Steps that contract, with the reason for which no process of the previous version needs what they take away. */
const CONTRACTS: Readonly<Record<number, string>> = {};

const contracts = (sql: string) => CONTRACTING.exec(sql.replace(/--.*$/gm, "").replace(/\$\$[\s\S]*?\$\$/g, ""))?.[0];

test("a step takes nothing away that processes of the previous version use, as both run during a rolling upgrade", () => {
  for (const { number, name, sql } of [...migrations.slice(1), ...PLANTED]) {
    assert.ok(!contracts(sql) || CONTRACTS[number], `step ${number}, ${name}: ${contracts(sql)} (docs/database.md)`);
  }
  const contracting = ["DROP TABLE x", "ALTER TABLE x RENAME COLUMN a TO b", "ALTER TABLE x ADD COLUMN a int NOT NULL"];
  for (const statement of contracting) assert.ok(contracts(statement), statement);
  for (const statement of [
    "ALTER TABLE x ADD COLUMN a int NOT NULL DEFAULT 1",
    "ALTER TABLE x ADD COLUMN a int, ADD COLUMN b int",
  ]) {
    assert.equal(contracts(statement), undefined, statement);
  }
});

test("a database of a newer version is refused", async () => {
  const database = await openTestDatabase();
  try {
    await database.db.insertInto("schema_migrations").values({ number: 9_999, name: "tomorrow" }).execute();
    await assert.rejects(migrate(database), /run the newer version/);
  } finally {
    await database.close();
    await database.remove();
  }
});

async function applied(database: Database): Promise<number> {
  const rows = await database.db.selectFrom("schema_migrations").select("number").execute();
  return rows.length;
}
