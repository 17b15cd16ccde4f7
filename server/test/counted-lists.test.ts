import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { countedPage } from "../src/db/counted-list.ts";
import { type Database, runRaw } from "../src/db/database.ts";
import { randomIds } from "../src/lib/ids.ts";
import { openTestDatabase } from "./harness/database.ts";

let database: Database & { remove(): Promise<void> };
before(async () => {
  database = await openTestDatabase();
});
after(async () => {
  await database.close();
  await database.remove();
});

/** Blocks of a few rows, so that a few rows are many blocks. */
const SMALL = { block: 4, cut: 3, changes: 5 };
const STATUSES = ["pending", "used", "revoked"] as const;
type Status = (typeof STATUSES)[number];

async function newTenant(): Promise<string> {
  const id = randomIds.uuid(new Date());
  await runRaw(database.db, "INSERT INTO tenants VALUES ($1, $2, 'x', now())", [id, id.slice(-12)]);
  return id;
}

/** A key of a time within a minute around now: some are older than rows that were counted. */
function key(chance: () => number): string {
  return randomIds.uuid(new Date(1_800_000_000_000 + Math.floor(chance() * 60_000)));
}

async function addClaim(tenantId: string, id: string, status: Status): Promise<void> {
  await runRaw(
    database.db,
    `INSERT INTO claims (id, tenant_id, code_hmac, code_hint, intended_name, status, max_uses, used_count, expires_at,
       created_at, created_by) VALUES ($1, $2, uuid_send($1::uuid), '', '', $3, 1, ($3 = 'used')::int, now(), now(), '')`,
    [id, tenantId, status],
  );
}

async function moveClaim(id: string, status: Status): Promise<void> {
  const set = "UPDATE claims SET status = $2, used_count = ($2 = 'used')::int WHERE id = $1";
  await runRaw(database.db, set, [id, status]);
}

function page(tenantId: string, status: Status | undefined, skip: number, limit: number, sizes = SMALL) {
  const columns = sql`c.id, c.status`;
  return countedPage<{ id: string; status: Status }>(
    database.db,
    tenantId,
    { list: "claims", variant: status, as: "c", columns },
    { skip, limit },
    sizes,
  );
}

/** The same by counting and walking over all rows. */
async function plainPage(tenantId: string, status: Status | undefined, skip: number, limit: number) {
  const all = await runRaw<{ id: string; status: Status }>(
    database.db,
    "SELECT id, status FROM claims WHERE tenant_id = $1 AND status = coalesce($2, status) ORDER BY id DESC",
    [tenantId, status ?? null],
  );
  return { rows: all.slice(skip, skip + limit), total: all.length };
}

/** Numbers in [0, 1) that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

for (const seed of [1, 2, 3]) {
  test(`pages and totals are those of a plain count, whatever enters, moves and leaves (seed ${seed})`, async () => {
    const chance = seeded(seed);
    const [tenantId, other] = [await newTenant(), await newTenant()];
    const ids: string[] = [];
    const any = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;
    for (let step = 0; step < 400; step++) {
      const dice = chance();
      if (dice < 0.6 || ids.length === 0) {
        ids.push(key(chance));
        await addClaim(tenantId, ids.at(-1)!, any(STATUSES));
      } else if (dice < 0.8) {
        await moveClaim(any(ids), any(STATUSES));
      } else {
        const [gone] = ids.splice(Math.floor(chance() * ids.length), 1);
        await runRaw(database.db, "DELETE FROM claims WHERE id = $1", [gone]);
      }
      if (dice < 0.1) await addClaim(other, key(chance), any(STATUSES));
      if (chance() > 0.5) continue;
      const asked = [
        any([undefined, ...STATUSES]),
        Math.floor(chance() * 1.2 * ids.length),
        any([0, 1, 7, 500]),
      ] as const;
      assert.deepEqual(await page(tenantId, ...asked), await plainPage(tenantId, ...asked), `${step}: ${asked}`);
    }
    for (const status of [undefined, ...STATUSES]) {
      for (let skip = 0; skip <= ids.length + 1; skip += 3) {
        assert.deepEqual(await page(tenantId, status, skip, 3), await plainPage(tenantId, status, skip, 3));
      }
    }
    const blocks = await runRaw<{ size: number | null }>(
      database.db,
      "SELECT size FROM list_blocks WHERE tenant_id = $1",
      [tenantId],
    );
    assert.ok(blocks.length > 10 && blocks.every(({ size }) => size !== null && size >= 0));
  });
}
