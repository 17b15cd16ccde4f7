import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import type { Db, Tx } from "../../src/db/database.ts";
import { type NoParameters, readStatement, runPipelined, runStatement, statement } from "../../src/db/statement.ts";
import { liftTimeLimit } from "../../src/db/time-limit.ts";
import { onPostgres, openTestDatabase } from "../harness/database/database.ts";

type N = { n: number };

const twice = statement<N, N>("test-twice", (p) => sql`SELECT ${p.n}::int * 2 AS n`);
const half = statement<N, N>("test-half", (p) => sql`SELECT 100 / ${p.n}::int AS n`);
const setting = statement<{ key: string }, { value: string }>(
  "test-setting",
  (p) => sql`SELECT value FROM settings WHERE key = ${p.key}`,
);
const addSetting = statement<{ key: string; value: string }, object>(
  "test-add-setting",
  (p) => sql`INSERT INTO settings (key, value) VALUES (${p.key}, ${p.value})`,
);
const doubleSetting = statement<{ key: string }, object>(
  "test-double-setting",
  (p) => sql`UPDATE settings SET value = value || value WHERE key = ${p.key}`,
);

let database: Awaited<ReturnType<typeof openTestDatabase>>;
before(async () => {
  database = await openTestDatabase({ patient: false });
});
after(async () => {
  await database.close();
  await database.remove();
});

test("a connection prepares a statement once, and runs it with the values of each call", async () => {
  await database.db.connection().execute(async (db: Db) => {
    for (const n of [1, 2, 3]) assert.deepEqual(await runStatement(db, twice, { n }), [{ n: n * 2 }]);
    await assert.rejects(runStatement(db, half, { n: 0 }), { code: "22012" });
    assert.deepEqual(await runStatement(db, half, { n: 1 }), [{ n: 100 }]);
    const { rows } = await sql`SELECT name, (generic_plans + custom_plans)::int AS runs
      FROM pg_prepared_statements WHERE name = 'test-twice'`.execute(db);
    assert.deepEqual(rows, [{ name: "test-twice", runs: 3 }]);
  });
});

test("values of every type arrive as without preparing, in the first run and in later ones", async () => {
  const columns = sql`2::bigint AS big, 1.5::float8 AS x, true AS yes, NULL::text AS nothing, 'ü,"x"' AS text,
    '2026-11-21T10:00:00.123Z'::timestamptz AS at, '{"a":[1]}'::jsonb AS json, '{a,NULL,"b c"}'::text[] AS list,
    '\\x00ff'::bytea AS bytes, gen_random_uuid() IS NOT NULL AS id`;
  const declared = statement<N, object>("test-columns", (p) => sql`SELECT ${p.n}::int AS n, ${columns}`);
  const none = statement<N, N>("test-none", (p) => sql`SELECT 1 AS n WHERE ${p.n}::int > 1`);
  const plainObjects = (rows: object[]) => rows.map((row) => ({ ...row }));
  const { rows } = await sql<{ big: string }>`SELECT ${7}::int AS n, ${columns}`.execute(database.db);
  const plain = plainObjects(rows);
  assert.equal(rows[0]?.big, "2");
  for (let run = 0; run < 3; run++) {
    assert.deepEqual(plainObjects(await runStatement(database.db, declared, { n: 7 })), plain);
    assert.deepEqual(plainObjects(await readStatement(database.db, declared, { n: 7 })), plain);
  }
  assert.deepEqual(await readStatement(database.db, none, { n: 1 }), []);
});

test("each read of one turn gets its own answer, and an error fails only the read that caused it", async () => {
  const read = (declared: typeof twice, n: number) => readStatement(database.db, declared, { n });
  const reads = Array.from({ length: 100 }, (_, i) => ({ n: i % 7, declared: i % 2 === 0 ? half : twice }));
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.allSettled(reads.map(({ n, declared }) => read(declared, n)));
    for (const [i, answer] of answers.entries()) {
      const { n, declared } = reads[i]!;
      if (declared === half && n === 0) assert.equal(answer.status === "rejected" && answer.reason.code, "22012");
      else {
        const expected = declared === half ? Math.trunc(100 / n) : n * 2;
        assert.deepEqual(answer, { status: "fulfilled", value: [{ n: expected }] });
      }
    }
  }
  assert.deepEqual(await read(twice, 21), [{ n: 42 }], "the connections are still usable");
});

test("a read in a transaction sees the transaction's writes", async () => {
  await database.db.transaction().execute(async (tx) => {
    await runStatement(tx, addSetting, { key: "seen", value: "yes" });
    assert.deepEqual(await readStatement(tx, setting, { key: "seen" }), [{ value: "yes" }]);
    if (onPostgres) assert.deepEqual(await readStatement(database.db, setting, { key: "seen" }), []);
  });
});

test("pipelined statements see the effects of earlier ones, and none takes effect when one fails", async () => {
  const value = () => readStatement(database.db, setting, { key: "piped" });
  await runPipelined(database.db, [
    addSetting.with({ key: "piped", value: "ab" }),
    doubleSetting.with({ key: "piped" }),
    doubleSetting.with({ key: "piped" }),
  ]);
  assert.deepEqual(await value(), [{ value: "abababab" }]);
  const failing = [doubleSetting.with({ key: "piped" }), half.with({ n: 0 }), doubleSetting.with({ key: "piped" })];
  await assert.rejects(runPipelined(database.db, failing), { code: "22012" });
  assert.deepEqual(await value(), [{ value: "abababab" }]);
});

test("pipelined statements within a transaction are rolled back with it", async () => {
  const rolledBack = database.db.transaction().execute(async (tx: Tx) => {
    await runPipelined(tx, [addSetting.with({ key: "undone", value: "a" }), doubleSetting.with({ key: "undone" })]);
    assert.deepEqual(await readStatement(tx, setting, { key: "undone" }), [{ value: "aa" }]);
    throw new Error("rolled back");
  });
  await assert.rejects(rolledBack, /rolled back/);
  assert.deepEqual(await readStatement(database.db, setting, { key: "undone" }), []);
});

test("a transaction with a failed statement is not reported as committed", async () => {
  const swallowed = database.db.transaction().execute(async (tx) => {
    await runStatement(tx, half, { n: 0 }).catch(() => undefined);
  });
  if (onPostgres) await assert.rejects(swallowed, /not committed/);
  else await assert.rejects(swallowed);
});

test("a request's statement is cancelled in time; one of a migration or of doctor may take longer", async () => {
  const seconds = onPostgres ? 3 : 0;
  const sleep = statement<NoParameters, object>("test-sleep", () => sql`SELECT pg_sleep(${sql.lit(seconds)})`);
  const limited = runStatement(database.db, sleep, {});
  const unlimited = database.db.transaction().execute(async (tx) => {
    await liftTimeLimit(tx);
    await runStatement(tx, sleep, {});
    await sql`SELECT pg_sleep(${sql.lit(seconds)})`.execute(tx);
  });
  if (onPostgres) await assert.rejects(limited, { code: "57014" });
  else await limited;
  await unlimited;
});

test("the time limits of server and client are restored after the transaction that lifted them", async () => {
  await database.db.connection().execute(async (db: Db) => {
    await db.transaction().execute(liftTimeLimit);
    const { rows } = await sql<{ limit: string }>`SELECT current_setting('statement_timeout') AS limit`.execute(db);
    assert.equal(rows[0]?.limit, onPostgres ? "2500ms" : "0");
    if (!onPostgres) return;
    await sql`SET statement_timeout = 0`.execute(db);
    await assert.rejects(sql`SELECT pg_sleep(4)`.execute(db), /Query read timeout/);
    await sql`RESET statement_timeout`.execute(db);
  });
});
