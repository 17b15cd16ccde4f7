import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../src/db/database.ts";
import { migrate } from "../src/db/migrate.ts";
import { migrations } from "../src/db/migrations/index.ts";
import { onPostgres, openTestDatabase } from "./harness/database.ts";
import { emptyDatabase } from "./harness/empty-database.ts";
import { runSql } from "./harness/run-sql.ts";

test("migrations are numbered from 1 without gaps", () => {
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  );
});

/** Where a database may have stopped. On the embedded one, where each takes a second, the first two: the other steps are taken one by one below. */
const PREFIXES = onPostgres ? [0, ...migrations.map(({ number }) => number)] : [0, 1];

for (const prefix of PREFIXES) {
  test(`a database at schema ${prefix} is brought up to date, and once more changes nothing`, async () => {
    const { open, remove } = await emptyDatabase({ fresh: prefix === 0 });
    const database = await open();
    try {
      await migrate(database, prefix);
      await Promise.all([migrate(database), migrate(database)]);
      await migrate(database);
      await assertCurrent(database);
    } finally {
      await database.close();
      await remove();
    }
  });
}

test("a database is migrated step by step", async () => {
  const { open, remove } = await emptyDatabase();
  const database = await open();
  try {
    await migrate(database, 1);
    for (const { number } of migrations) {
      await Promise.all([migrate(database, number), migrate(database, number)]);
      assert.equal(await applied(database), number);
    }
    await assertCurrent(database);
  } finally {
    await database.close();
    await remove();
  }
});

async function assertCurrent(database: Database): Promise<void> {
  const tables = await database.db.introspection.getTables();
  assert.ok(tables.some(({ name }) => name === "certificates"));
  assert.deepEqual(await applied(database), migrations.length);
}

/** The first step that had to leave the schema to processes of the version before. */
const FIRST_EXPANDING = 58;
/** What a process of the version before does not survive, outside functions. */
const CONTRACTING =
  /\b(DROP (TABLE|COLUMN|VIEW|FUNCTION)|RENAME|ALTER COLUMN \w+ (SET NOT NULL|(SET DATA )?TYPE)|ADD COLUMN \w+ [^,;]*NOT NULL(?![^,;]*DEFAULT))\b/i;
/** Steps that contract, with the reason for which no process of the version before needs what they take away. */
const CONTRACTS: Readonly<Record<number, string>> = {
  59: "functions of triggers that the same step drops; no process calls them",
  81: "the forms of telemetry before 1.0, which was the first version that was released",
};

test("a step takes nothing away that processes of the version before use, as both run during a rolling upgrade", () => {
  for (const { number, name, sql } of migrations.filter((step) => step.number >= FIRST_EXPANDING)) {
    const found = CONTRACTING.exec(sql.replace(/--.*$/gm, "").replace(/\$\$[\s\S]*?\$\$/g, ""));
    assert.ok(!found || CONTRACTS[number], `step ${number}, ${name}: ${found?.[0]} (docs/database.md, Migrations)`);
  }
  const contracting = ["DROP TABLE x", "ALTER TABLE x RENAME COLUMN a TO b", "ALTER TABLE x ADD COLUMN a int NOT NULL"];
  for (const statement of contracting) assert.match(statement, CONTRACTING);
  for (const statement of [
    "ALTER TABLE x ADD COLUMN a int NOT NULL DEFAULT 1",
    "ALTER TABLE x ADD COLUMN a int, ADD COLUMN b int",
  ]) {
    assert.doesNotMatch(statement, CONTRACTING);
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

test("the upgrade to schema 79 makes active admins the owners of the MQTT clients that they registered or enabled last, and suspends none", async () => {
  const { open, remove } = await emptyDatabase();
  const database = await open();
  const id = (nth: number) => `01890000-0000-7000-8000-00000000000${nth}`;
  const [tenant, active, former] = [id(0), id(1), id(2)];
  const run = (text: string, values: unknown[]) => runSql<{ client_id: string }>(database.db, text, values);
  try {
    await migrate(database, 78);
    await run("INSERT INTO tenants (id, slug, name, created_at) VALUES ($1, 'acme', 'Acme', now())", [tenant]);
    for (const [user, role] of [
      [active, "admin"],
      [former, "operator"],
    ] as const)
      await run(
        "INSERT INTO users (id, tenant_id, email, role, created_at, password_hash) VALUES ($1, $2, $3, $4, now(), '')",
        [user, tenant, `${role}@acme.example`, role],
      );
    const acts: [nth: number, ...by: [act: string, actor: string][]][] = [
      [3, ["mqtt-client.create", `user:${active}`]],
      [4, ["mqtt-client.create", `user:${former}`]],
      [5, ["mqtt-client.create", `user:${former}`], ["mqtt-client.enable", `user:${active}`]],
      [6, ["mqtt-client.create", `user:${active}`], ["mqtt-client.rotate-password", "system"]],
    ];
    for (const [nth, ...by] of acts) {
      await run(
        `INSERT INTO mqtt_clients (id, tenant_id, client_id, username, password_hash, publish_topics, subscribe_filters, created_at)
         VALUES ($1, $2, $3, $3, '', '{}', '{}', now())`,
        [id(nth), tenant, `gw-${nth}`],
      );
      for (const [place, [act, actor]] of by.entries())
        await run(
          "INSERT INTO admin_audit (id, tenant_id, at, actor, act, target, after) VALUES ($1, $2, now(), $3, $4, $5, jsonb_build_object('id', $6::text))",
          [`01890000-0000-7000-8000-0000000${place}000${nth}`, tenant, actor, act, `gw-${nth}`, id(nth)],
        );
    }
    await migrate(database);
    const { length } = await run("SELECT client_id FROM mqtt_clients WHERE suspended", []);
    const owned = await run("SELECT client_id FROM mqtt_clients WHERE owner_id = $1 ORDER BY client_id", [active]);
    const none = await run("SELECT client_id FROM mqtt_clients WHERE owner_id IS NULL ORDER BY client_id", []);
    const names = (rows: { client_id: string }[]) => rows.map(({ client_id }) => client_id);
    assert.deepEqual([length, names(owned), names(none)], [0, ["gw-3", "gw-5"], ["gw-4", "gw-6"]]);
  } finally {
    await database.close();
    await remove();
  }
});
