import { sql } from "kysely";
import { liftTimeLimit } from "../db/time-limit.ts";
import type { Db } from "../db/types.ts";
import type { Walk } from "../lib/page.ts";
import { type CountedList, LISTS } from "./lists.ts";
import { type Counted, tableOf } from "./shown.ts";
import { nextPartOfList, type PartRequest, type WalkedList } from "./walk.ts";

/** The number of keys found at once; each time all rows of the list are read. */
const KEYS = 10_000;

/** The keys that a walk has found and not yet returned. */
interface Found {
  /** The walk over the keys, which is ahead of the walk over the rows. */
  readonly ahead: Walk;
  keys: string[];
}

const found = new WeakMap<Walk, Found>();

/**
 * Returns the next rows of a walk in an order that no index has. One statement finds the keys of many parts, and the
 * rows of a part are read by their keys. Rows that have since been deleted, or no longer meet `where`, are left out.
 */
export async function nextSortedPart<Row>(
  db: Db,
  tenantId: string,
  walked: WalkedList,
  { walk, limit }: PartRequest,
  most = KEYS,
): Promise<Counted<Row>> {
  const state = found.get(walk) ?? { ahead: {}, keys: [] };
  found.set(walk, state);
  while (state.keys.length === 0 && !state.ahead.ended) state.keys = await findKeys(db, tenantId, walked, state, most);
  const keys = state.keys.splice(0, limit);
  if (state.keys.length === 0 && state.ahead.ended) walk.ended = true;
  else walk.place = keys.slice(-1);
  return { rows: await readRows<Row>(db, tenantId, walked, keys), total: 0 };
}

/**
 * Finds the next keys without the usual time limit: reading all rows of a long list may exceed it on a machine under
 * load.
 */
async function findKeys(db: Db, tenantId: string, walked: WalkedList, { ahead }: Found, most: number) {
  const columns = sql`${keyOf(walked)} AS key`;
  const page = { skip: 0, limit: most, walk: ahead };
  return await db.transaction().execute(async (tx) => {
    await liftTimeLimit(tx);
    const { rows } = await nextPartOfList<{ key: string }>(tx, tenantId, { ...walked, columns }, page);
    return rows.map(({ key }) => key);
  });
}

/** Returns the rows with these keys, in their order. */
async function readRows<Row>(db: Db, tenantId: string, walked: WalkedList, keys: readonly string[]): Promise<Row[]> {
  const { list, as, columns, where = sql`true` } = walked;
  const { where: listed = "true" }: CountedList = LISTS[list];
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM unnest(${[...keys]}::uuid[]) WITH ORDINALITY AS part (key, place)
      JOIN ${tableOf(walked)} ON ${keyOf(walked)} = part.key
     WHERE ${sql.ref(`${as}.tenant_id`)} = ${tenantId}::uuid AND ${sql.raw(listed)} AND ${where}
     ORDER BY part.place`.execute(db);
  return rows;
}

function keyOf({ list, as }: WalkedList) {
  return sql.ref(`${as}.${LISTS[list].key}`);
}
