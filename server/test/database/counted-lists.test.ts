import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import type { Database, Db, Tx } from "../../src/db/database.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { countedPage, filteredPage } from "../../src/lists/counted-page.ts";
import { type Block, mergeableBlocks } from "../../src/lists/merge-blocks.ts";
import { onPostgres, openTestDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";

let database: Database & { remove(): Promise<void> };
before(async () => {
  database = await openTestDatabase();
});
after(async () => {
  await database.close();
  await database.remove();
});

/** On the embedded database, which has one connection, nothing else happens while a transaction is open. */
const withSeveralConnections = onPostgres ? test : () => undefined;

/** A block size of a few rows, so that a few rows become many blocks. */
const SMALL = { block: 4, cut: 3, changes: 5 };
const STATUSES = ["pending", "used", "revoked"] as const;
type Status = (typeof STATUSES)[number];
type Row = { id: string; status: Status };

async function newTenant(): Promise<string> {
  const id = randomIds.uuid(new Date());
  await runSql(database.db, "INSERT INTO tenants VALUES ($1, $2, 'x', now())", [id, id.slice(-12)]);
  return id;
}

/** Returns the key of a time within one minute; `part` is the fraction of the minute, from 0 to 1. */
function keyAt(part: number): string {
  return randomIds.uuid(new Date(1_800_000_000_000 + Math.floor(part * 60_000)));
}

async function add(db: Db, tenantId: string, id: string, status: Status): Promise<void> {
  await runSql(
    db,
    `INSERT INTO claims (id, tenant_id, code_hmac, code_hint, intended_name, status, max_uses, used_count, expires_at,
       created_at, created_by) VALUES ($1, $2, uuid_send($1::uuid), '', '', $3, 1, ($3 = 'used')::int, now(), now(), '')`,
    [id, tenantId, status],
  );
}

async function move(db: Db, id: string | undefined, status: Status): Promise<void> {
  const set = "UPDATE claims SET status = $2, used_count = ($2 = 'used')::int WHERE id = $1";
  await runSql(db, set, [id ?? null, status]);
}

async function remove(db: Db, id: string | undefined): Promise<void> {
  await runSql(db, "DELETE FROM claims WHERE id = $1", [id ?? null]);
}

type Asked = readonly [status: Status | undefined, skip: number, limit: number];

function page(db: Db, tenantId: string, [status, skip, limit]: Asked) {
  const shown = { list: "claims", variant: status, as: "c", columns: sql`c.id, c.status` } as const;
  return countedPage<Row>(db, tenantId, shown, { skip, limit }, SMALL);
}

/** Counts in the same way by reading all rows. */
async function plainPage(db: Db, tenantId: string, [status, skip, limit]: Asked) {
  const all = await runSql<Row>(
    db,
    "SELECT id, status FROM claims WHERE tenant_id = $1 AND status = coalesce($2, status) ORDER BY id DESC",
    [tenantId, status ?? null],
  );
  return { rows: all.slice(skip, skip + limit), total: all.length };
}

async function assertExact(db: Db, tenantId: string, asked: Asked): Promise<void> {
  assert.deepEqual(await page(db, tenantId, asked), await plainPage(db, tenantId, asked), String(asked));
}

/** Reads every page of every variant. */
async function assertAllExact(tenantId: string): Promise<void> {
  for (const status of [undefined, ...STATUSES]) {
    const { total } = await plainPage(database.db, tenantId, [status, 0, 0]);
    for (let skip = 0; skip <= total + 9; skip += 9) await assertExact(database.db, tenantId, [status, skip, 9]);
  }
}

/**
 * Reads until every block is counted. A transaction of another test in the same cluster may delay a count, but not an
 * answer.
 */
async function assertExactUntilCounted(tenantId: string, asked: Asked): Promise<void> {
  do await assertExact(database.db, tenantId, asked);
  while ((await blockSizes(tenantId)).includes(null));
}

/**
 * Reads every page until more than 20 blocks are counted, which that delay may prevent at first. No block has a
 * negative size.
 */
async function assertExactUntilManyCounted(tenantId: string): Promise<void> {
  let counted: number[];
  do {
    await assertAllExact(tenantId);
    counted = (await blockSizes(tenantId)).filter((size) => size !== null);
  } while (counted.length <= 20);
  assert.ok(counted.every((size) => size >= 0));
}

async function blockSizes(tenantId: string): Promise<(number | null)[]> {
  const rows = await runSql<{ size: number | null }>(
    database.db,
    "SELECT size FROM list_blocks WHERE tenant_id = $1 ORDER BY variant, upto",
    [tenantId],
  );
  return rows.map(({ size }) => size);
}

/** Returns numbers in [0, 1) that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Hand {
  chance: () => number;
  any<T>(of: readonly T[]): T;
  tenantId: string;
  /** The claims of this writer without removed ones, and how many it has created. */
  ids: string[];
  made: number;
}

function newHand(seed: number, tenantId: string): Hand {
  const chance = seeded(seed);
  return { chance, any: (of) => of[Math.floor(chance() * of.length)]!, tenantId, ids: [], made: 0 };
}

/** Makes one random write: adds a row, occasionally one older than the counted ones, or moves or removes one. */
async function write(db: Db, hand: Hand): Promise<void> {
  const { chance, any, tenantId, ids } = hand;
  const dice = chance();
  if (dice < 0.6) {
    const late = dice < 0.1 ? chance() : dice < 0.4 ? chance() / 10 : 0;
    const id = keyAt((hand.made++ / 500) * (1 - late));
    await add(db, tenantId, id, any(STATUSES));
    ids.push(id);
  } else if (dice < 0.8) {
    await move(db, any(ids), any(STATUSES));
  } else {
    const [gone] = ids.splice(Math.floor(chance() * ids.length), 1);
    await remove(db, gone);
  }
}

function anyPage({ chance, any, ids }: Hand): Asked {
  return [any([undefined, ...STATUSES]), Math.floor(chance() * 1.2 * ids.length), any([0, 1, 7, 500])];
}

test("a filtered page and its total equal a plain count, wherever the read-ahead ends", async () => {
  const { db } = database;
  const tenantId = await newTenant();
  for (let n = 0; n < 25; n++) await add(db, tenantId, keyAt(n / 25), n % 5 ? "used" : "pending");
  const shown = { list: "claims", as: "c", columns: sql`c.id, c.status` } as const;
  for (const status of ["pending", "used", "revoked"] as const) {
    const all = await plainPage(db, tenantId, [status, 0, 100]);
    for (const [skip, limit, ahead] of [
      [0, 0, 0],
      [0, 3, 2],
      [1, 3, 1],
      [4, 7, 100],
      [17, 2, 2],
      [18, 7, 0],
      [20, 7, 100],
    ] as const) {
      const where = sql`c.status = ${status}`;
      const found = await filteredPage<Row>(db, tenantId, { ...shown, where }, { skip, limit }, ahead);
      const expected = { rows: all.rows.slice(skip, skip + limit), total: all.total };
      assert.deepEqual(found, expected, `${status} ${skip} ${limit} ${ahead}`);
    }
  }
});

test("pages and totals equal a plain count, whatever rows are added, moved and removed", async () => {
  const { db } = database;
  const hand = newHand(1, await newTenant());
  const other = newHand(2, await newTenant());
  for (let step = 0; step < 200; step++) {
    await write(db, hand);
    if (step % 5 === 0) await write(db, other);
    if (step % 3 === 0) await assertExact(db, hand.tenantId, anyPage(hand));
  }
  await assertAllExact(other.tenantId);
  await assertExactUntilManyCounted(hand.tenantId);
});

test("the first block is split off when the tail exceeds two blocks, and a long tail is split immediately", async () => {
  const tenantId = await newTenant();
  for (let n = 0; n < 8; n++) await add(database.db, tenantId, keyAt(n / 1000), "pending");
  await assertExact(database.db, tenantId, [undefined, 0, 3]);
  assert.deepEqual(await blockSizes(tenantId), []);
  await add(database.db, tenantId, keyAt(0.5), "pending");
  await assertExactUntilCounted(tenantId, [undefined, 0, 3]);
  assert.deepEqual(await blockSizes(tenantId), [4]);
  await runSql(
    database.db,
    `INSERT INTO claims (id, tenant_id, code_hmac, code_hint, intended_name, max_uses, expires_at, created_at, created_by)
     SELECT gen_random_uuid(), $1, uuid_send(gen_random_uuid()), '', '', 1, now(), now(), ''
     FROM generate_series(1, 100)`,
    [tenantId],
  );
  for (const skip of [0, 5, 77, 108, 109, 500]) await assertExactUntilCounted(tenantId, [undefined, skip, 50]);
  const [tail] = await runSql<{ n: number }>(
    database.db,
    `SELECT count(*)::int AS n FROM claims
     WHERE tenant_id = $1 AND id > (SELECT max(upto::text)::uuid FROM list_blocks WHERE tenant_id = $1)`,
    [tenantId],
  );
  assert.ok(tail!.n >= 4 && tail!.n <= 8, `a tail of ${tail!.n}`);
});

withSeveralConnections("while others write in open transactions, every snapshot is exact", async () => {
  const { db } = database;
  const tenantId = await newTenant();
  const hands = [11, 12, 13, 14].map((seed) => newHand(seed, tenantId));
  let writing = true;
  const writers = hands.map(async (hand) => {
    for (let turn = 0; turn < 100; turn++) {
      const writes = 1 + Math.floor(hand.chance() * 4);
      const kept = [...hand.ids];
      const undo = hand.chance() < 0.1;
      await db
        .transaction()
        .execute(async (tx) => {
          for (let n = 0; n < writes; n++) await write(tx, hand);
          if (undo) throw new Undo();
        })
        .catch((error) => {
          if (!(error instanceof Undo)) throw error;
          hand.ids = kept;
        });
    }
  });
  const whileWriting = async (seed: number, work: (asked: Asked) => Promise<unknown>) => {
    const { chance, any } = newHand(seed, tenantId);
    while (writing) await work([any([undefined, ...STATUSES]), Math.floor(chance() * 300), any([1, 7])]);
  };
  const readers = [
    ...[21, 22, 23].map((seed) => whileWriting(seed, (asked) => page(db, tenantId, asked))),
    whileWriting(24, (asked) => inSnapshot((tx) => assertExact(tx, tenantId, asked))),
  ];
  await Promise.all(writers).finally(() => {
    writing = false;
  });
  await Promise.all(readers);
  await assertExactUntilManyCounted(tenantId);
});

class Undo extends Error {}

async function inSnapshot(work: (tx: Tx) => Promise<void>): Promise<void> {
  await database.db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work);
}

withSeveralConnections("a block is not counted while a transaction is open that may not know of it", async () => {
  const { db } = database;
  const tenantId = await newTenant();
  for (let n = 0; n < 12; n++) await add(db, tenantId, keyAt(0.2 + n / 1000), "pending");
  const early = await db.startTransaction().execute();
  await add(early, tenantId, keyAt(0.1), "pending");
  await assertExact(db, tenantId, ["pending", 0, 50]);
  assert.deepEqual(await blockSizes(tenantId), [null, null]);
  const late = await db.startTransaction().execute();
  await add(late, tenantId, keyAt(0.1), "pending");
  await early.commit().execute();
  await assertExactUntilCounted(tenantId, ["pending", 0, 50]);
  assert.deepEqual(await blockSizes(tenantId), [5, 4], "the other transaction knows of the block");
  await late.commit().execute();
  await assertExact(db, tenantId, ["pending", 0, 50]);
  await assertExact(db, tenantId, ["pending", 12, 50]);
  assert.deepEqual(await blockSizes(tenantId), [5, 4], "what it added waits beside the block");
});

withSeveralConnections(
  "a transaction of another isolation level than READ COMMITTED may not write listed rows",
  async () => {
    const tenantId = await newTenant();
    const written = database.db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute((tx) => add(tx, tenantId, keyAt(0), "pending"));
    await assert.rejects(written, /READ COMMITTED/);
  },
);

test("merged blocks cover all rows, in order, and stay few", () => {
  let blocks: Block[] = [];
  for (let n = 0; n < 5_000; n++) {
    blocks.unshift({ upto: String(n), size: 512 });
    const { kept, gone } = mergeableBlocks(blocks, 512);
    const sizes = new Map(kept.map(({ upto, size }) => [upto, size]));
    blocks = blocks
      .filter(({ upto }) => !gone.includes(upto))
      .map(({ upto, size }) => ({ upto, size: sizes.get(upto) ?? size }));
  }
  assert.equal(
    blocks.reduce((sum, { size }) => sum + size, 0),
    5_000 * 512,
  );
  assert.ok(blocks.length < 1000, `${blocks.length} blocks of 2.5 million rows`);
  let newer = 0;
  for (const { size } of blocks) {
    assert.ok(size <= Math.max(512, newer / 128));
    newer += size;
  }
});
