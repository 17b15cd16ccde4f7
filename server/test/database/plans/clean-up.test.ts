import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Database, Db } from "../../../src/db/database.ts";
import { liftTimeLimit } from "../../../src/db/time-limit.ts";
import type { Features } from "../../../src/features.ts";
import { onPostgres, openTestDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { testFeatures } from "../../harness/features.ts";

/** More than one statement deletes. The embedded database fills its tables more slowly. */
const EXPIRED = 10_000;
const LIVE = 10_000;
const UNDER_ATTACK = onPostgres ? 2_000_000 : 100_000;

interface CleanUp {
  readonly table: string;
  /** Returns the columns and values of row `n`; `at` is its time, past the retention or now. */
  readonly columns: string;
  readonly values: (at: string) => string;
  readonly prune: (features: Features) => Promise<void>;
}

const CLEAN_UPS: readonly CleanUp[] = [
  {
    table: "claim_guesses",
    columns: "address, at",
    values: (at) => `'192.0.2.1', ${at}`,
    prune: ({ enrollment }) => enrollment.prune(),
  },
  {
    table: "idempotency_keys",
    columns: "key_id, idempotency_key, operation, request_sha256, resource_id, at",
    values: (at) => `'key', gen_random_uuid()::text, 'createGroup', '\\x00', 'id', ${at}`,
    prune: ({ audit }) => audit.prune(),
  },
  {
    table: "events",
    columns: "tenant_id, at, changed_table, operation, changed_row",
    values: (at) => `gen_random_uuid(), ${at}, 'devices', 'UPDATE', '{}'`,
    prune: ({ events }) => events.prune(),
  },
  {
    table: "api_key_windows",
    columns: "key_id, passed, times",
    values: (at) => `substr(md5(random()::text || n), 1, 12), 1, ARRAY[extract(epoch FROM ${at}) * 1000]`,
    prune: ({ access }) => access.prune(),
  },
];

let database: Awaited<ReturnType<typeof openTestDatabase>>;
const clock = new FakeClock();
before(async () => {
  database = await openTestDatabase({ patient: false });
  await runSql(database.db, "ALTER TABLE api_key_windows DROP CONSTRAINT api_key_windows_key_id_fkey");
});
after(async () => {
  await database.close();
  await database.remove();
});

describe("a clean-up deletes exactly the expired rows, and reads no table from end to end", () => {
  for (const cleanUp of CLEAN_UPS) {
    test(cleanUp.table, async () => {
      await fill(cleanUp, EXPIRED, "now() - interval '5 years' + n * interval '1 second'");
      await fill(cleanUp, LIVE, "now() + interval '1 hour'");
      assert.equal(await rowsReadInOrder(cleanUp), 0);
      assert.equal(await countRows(cleanUp.table), LIVE);
    });
  }
});

test(`a clean-up of ${UNDER_ATTACK} rows ends within the time limit of a statement`, {
  timeout: 240_000,
}, async () => {
  const [guesses] = CLEAN_UPS as [CleanUp];
  await unhurried("TRUNCATE claim_guesses");
  await fill(guesses, UNDER_ATTACK, "now() - interval '5 years' + n * interval '1 second'");
  await guesses.prune(testFeatures({ database, clock }));
  assert.equal(await countRows("claim_guesses"), 0);
});

/** Rows per INSERT: a long transaction would keep concurrent tests in the same cluster from seeing new events. */
const AT_ONCE = 50_000;

async function fill({ table, columns, values }: CleanUp, rows: number, at: string): Promise<void> {
  for (let first = 1; first <= rows; first += AT_ONCE) {
    const series = `generate_series(${first}, ${Math.min(first + AT_ONCE - 1, rows)})`;
    await unhurried(`INSERT INTO ${table} (${columns}) SELECT ${values(at)} FROM ${series} n`);
  }
}

/** Runs a statement of the test without the service's time limit, which applies only to the clean-up. */
async function unhurried<Row>(text: string): Promise<Row[]> {
  return await database.db.transaction().execute(async (tx) => {
    await liftTimeLimit(tx);
    return await runSql<Row>(tx, text);
  });
}

async function countRows(table: string): Promise<number> {
  const [row] = await unhurried<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table}`);
  return row!.rows;
}

/**
 * Prunes in one transaction.
 * @returns how many rows it read by scanning the whole table
 */
async function rowsReadInOrder({ table, prune }: CleanUp): Promise<number> {
  return await database.db.transaction().execute(async (tx) => {
    const already = await scannedRows(tx, table);
    const inTransaction: Database = { ...database, db: tx as unknown as Db };
    await prune(testFeatures({ database: inTransaction, clock }));
    return (await scannedRows(tx, table)) - already;
  });
}

async function scannedRows(db: Db, table: string): Promise<number> {
  const counters = "SELECT seq_tup_read::int AS rows FROM pg_stat_xact_user_tables WHERE relname = $1";
  const [row] = await runSql<{ rows: number }>(db, counters, [table]);
  return row?.rows ?? 0;
}
