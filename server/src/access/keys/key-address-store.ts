import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** A use of a key, admitted or refused, from an address block. */
interface SeenBlock {
  keyId: string;
  block: string;
  refused: boolean;
  now: Date;
}

/** Records that a key was used or refused from an address block, if that is known. @returns whether it is */
export async function seeBlock(db: Db, use: SeenBlock): Promise<boolean> {
  return (await runStatement(db, updateSeen, use)).length === 1;
}

const updateSeen = statement<SeenBlock, object>(
  "see-key-address-block",
  (p) => sql`
    UPDATE api_key_blocks SET seen_at = greatest(seen_at, ${p.now}::timestamptz)
     WHERE key_id = ${p.keyId}::text AND block = ${p.block}::text AND refused = ${p.refused}::boolean
     RETURNING key_id`,
);

/** Returns how many address blocks were new for the key since `since`. */
export async function countNewBlocks(
  tx: Tx,
  { keyId, refused }: Pick<SeenBlock, "keyId" | "refused">,
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    SELECT count(*)::int AS blocks FROM api_key_blocks WHERE key_id = ${keyId} AND refused = ${refused} AND first_at > ${since}`.execute(
    tx,
  );
  return rows[0]!.blocks;
}

/** Adds an address block of a key. @returns the key's name, or `undefined` when another process has added the block */
export async function addBlock(tx: Tx, { keyId, block, refused, now }: SeenBlock): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    WITH added AS (
      INSERT INTO api_key_blocks (key_id, block, refused, first_at, seen_at)
      VALUES (${keyId}, ${block}, ${refused}, ${now}, ${now})
      ON CONFLICT DO NOTHING RETURNING key_id)
    SELECT k.name FROM added a JOIN api_keys k ON k.id = a.key_id`.execute(tx);
  return rows[0]?.name;
}

/** Deletes at most `limit` address blocks from which no key was used since `before`. */
export async function deleteUnseen(db: Db, range: { from: Date; before: Date; limit: number }): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteUnseenBlocks, range);
  return pruned!;
}

const deleteUnseenBlocks = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-unseen-key-address-blocks",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM api_key_blocks WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM api_key_blocks WHERE seen_at >= ${p.from}::timestamptz AND seen_at <= ${p.before}::timestamptz
         ORDER BY seen_at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING seen_at)
    SELECT count(*)::int AS rows, max(seen_at) AS last FROM deleted`,
);
