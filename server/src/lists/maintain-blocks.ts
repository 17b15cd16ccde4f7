import { sql } from "kysely";
import type { Db, Tx } from "../db/types.ts";
import { BEFORE_ALL, type ListScope } from "./list-scope.ts";
import { mergeableBlocks } from "./merge-blocks.ts";

export interface Sizes {
  /**
   * The number of rows in a new block. The tail retains at least as many, since late rows arrive there, and at most
   * twice as many.
   */
  readonly block: number;
  /** The number of blocks cut at a time. */
  readonly cut: number;
  /** The number of changes that may wait before they are added to their blocks. */
  readonly changes: number;
}

export const SIZES: Sizes = { block: 512, cut: 256, changes: 1024 };

export function mostTail({ block }: Sizes): number {
  return 2 * block;
}

/**
 * SQLSTATEs of a database that is read-only or canceled the statement for lack of time: nothing was cut, and the list
 * is counted row by row again.
 */
const PASSING = ["25006", "57014"];

/**
 * Cuts the excess of the tail into blocks, adds waiting changes to their blocks, and merges small old blocks. While a
 * transaction that may not know of a new block is still running, that block is counted on a later call.
 */
export async function maintainBlocks(db: Db, scope: ListScope, sizes: Sizes): Promise<void> {
  try {
    for (;;) {
      await alone(db, scope, (tx) => markBlocks(tx, scope, sizes));
      if (!(await alone(db, scope, (tx) => countBlocks(tx, scope, sizes)))) return;
    }
  } catch (error) {
    if (!PASSING.includes((error as { code?: string }).code ?? "")) throw error;
  }
}

/**
 * Planner settings for ranges of unknown length, for which the planner would scan the table or sort. The remaining plan
 * would look so expensive that it would be compiled by the JIT.
 */
const SETTINGS = sql.join(
  ["enable_seqscan", "enable_sort", "jit"].map((name) => sql`set_config(${sql.lit(name)}, 'off', true)`),
);

/**
 * Runs `work` under the list's maintenance lock, or skips it if another process has the lock. Writers never wait here.
 */
async function alone<T>(db: Db, { name }: ListScope, work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtext('lists'), hashtext(${name})) AS mine`.execute(tx);
    if (!rows[0]!.mine) return undefined;
    await sql`SELECT ${SETTINGS}`.execute(tx);
    return await work(tx);
  });
}

/** Marks the ends of the next blocks, all but the last possible one, unless uncounted marks exist. */
async function markBlocks(
  tx: Tx,
  { table, key, rows, order, identity, its, newestBlock }: ListScope,
  { block, cut }: Sizes,
) {
  await sql`
    INSERT INTO list_blocks (tenant_id, list, variant, upto)
    SELECT ${identity}, m.key FROM (
      SELECT p.key, lead(p.key) OVER (ORDER BY p.place) AS next FROM (
        SELECT t.key, row_number() OVER (ORDER BY t.tenant_id, t.key) AS place FROM (
          SELECT t.tenant_id, ${key} AS key FROM ${table} WHERE ${rows} AND ${key} > ${newestBlock(sql`true`)}
          ORDER BY ${order("ASC")} LIMIT ${(cut + 1) * block}::bigint) t) p
      WHERE p.place % ${block}::bigint = 0) m
    WHERE m.next IS NOT NULL AND NOT EXISTS (SELECT 1 FROM list_blocks WHERE ${its} AND size IS NULL)`.execute(tx);
}

/** @returns whether there may be as much work again */
async function countBlocks(tx: Tx, scope: ListScope, sizes: Sizes): Promise<boolean> {
  await stampMarks(tx, scope);
  const counted = await countMarked(tx, scope);
  const added = await addChanges(tx, scope, sizes);
  if (counted > 0) await mergeBlocks(tx, scope, sizes);
  return counted >= sizes.cut || added >= atATime(sizes);
}

/**
 * Stamps marks with a transaction number. This statement sees the marks, so they are committed. The number, assigned
 * later, is therefore above that of every writer who may not have seen them. A number from the future comes from the
 * cluster that a backup was restored from.
 */
async function stampMarks(tx: Tx, { its }: ListScope): Promise<void> {
  await sql`
    UPDATE list_blocks SET counts_after = pg_current_xact_id()
    WHERE ${its} AND size IS NULL AND (counts_after IS NULL OR counts_after > pg_current_xact_id())`.execute(tx);
}

/**
 * Counts the marked blocks once every writer below their stamp has ended. All later writers have recorded their
 * changes, which are therefore subtracted again: one snapshot sees both rows and changes.
 */
async function countMarked(tx: Tx, { table, key, rows, order, its }: ListScope): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE list_blocks b SET size =
      (SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${rows} AND ${key} > r.after AND ${key} <= r.upto
        ORDER BY ${order("ASC")}) t)
      - (SELECT coalesce(sum(change), 0) FROM list_changes WHERE ${its} AND at > r.after AND at <= r.upto)
    FROM (SELECT upto, coalesce(lag(upto) OVER (ORDER BY upto), ${BEFORE_ALL}) AS after FROM list_blocks WHERE ${its}) r
    WHERE ${its} AND b.upto = r.upto AND size IS NULL
      AND counts_after <= pg_snapshot_xmin(pg_current_snapshot())`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

function atATime({ changes }: Sizes): number {
  return 16 * changes;
}

/** Adds waiting changes to their blocks. @returns the number of changes added */
async function addChanges(tx: Tx, { its, newestBlock }: ListScope, sizes: Sizes): Promise<number> {
  const { rows } = await sql<{ added: string }>`
    WITH waiting AS (
      SELECT ctid FROM list_changes WHERE ${its} AND at <= ${newestBlock(sql`size IS NOT NULL`)}
      LIMIT ${atATime(sizes)}::bigint
    ), gone AS (
      DELETE FROM list_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM waiting)) RETURNING at, change
    ), sums AS (
      SELECT (SELECT upto FROM list_blocks WHERE ${its} AND upto >= gone.at ORDER BY upto LIMIT 1) AS upto,
        sum(change) AS change FROM gone GROUP BY 1
    ), added AS (
      UPDATE list_blocks b SET size = b.size + s.change FROM sums s WHERE ${its} AND b.upto = s.upto
    )
    SELECT count(*) AS added FROM gone`.execute(tx);
  return Number(rows[0]!.added);
}

/** Merges blocks to limit their number: see {@link mergeableBlocks}. */
async function mergeBlocks(tx: Tx, { its }: ListScope, { block }: Sizes): Promise<void> {
  const { rows } = await sql<{ upto: string; size: number }>`
    SELECT upto, size FROM list_blocks WHERE ${its} AND size IS NOT NULL ORDER BY upto DESC`.execute(tx);
  const { kept, gone } = mergeableBlocks(rows, block);
  if (gone.length === 0) return;
  await sql`DELETE FROM list_blocks WHERE ${its} AND upto = ANY (${gone}::uuid[])`.execute(tx);
  await sql`
    UPDATE list_blocks b SET size = k.size
    FROM unnest(${kept.map(({ upto }) => upto)}::uuid[], ${kept.map(({ size }) => size)}::int[]) k (upto, size)
    WHERE ${its} AND b.upto = k.upto`.execute(tx);
}
