import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { BEGINNING, pruneAlong } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { addMs } from "../../lib/clock.ts";

/** The retention of each tenant's journal: its newest `entries`, unless they are older than `since`. */
export interface RefusalRetention {
  entries: number;
  since: Date;
}

/** The number of tenants that one statement examines. */
const TENANTS_PER_PAGE = 200;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** A position in a tenant's journal, which is ordered by both fields. */
interface Place {
  at: Date;
  id: string;
}

/** A tenant's oldest entry, and the newest one beyond the retained number. */
interface Journal {
  tenant_id: string | null;
  oldest: Date | null;
  surplus_at: Date | null;
  surplus_id: string | null;
}

/**
 * Deletes entries beyond the retention in batches, tenant by tenant; entries without a tenant form a journal of their
 * own.
 */
export async function pruneRefusals(db: Db, retention: RefusalRetention, stopped?: AbortSignal): Promise<void> {
  const { entries } = retention;
  const ofNoTenant = await byIndex(db, (tx) => runStatement(tx, journalOfNoTenant, { entries }));
  await pruneJournals(db, ofNoTenant, retention, stopped);
  for (let after: string | null = FIRST_ID; after !== null && !stopped?.aborted; ) {
    const from: string = after;
    const page: Journal[] = await byIndex(db, (tx) => runStatement(tx, nextJournals, { after: from, entries }));
    await pruneJournals(db, page, retention, stopped);
    after = page.length < TENANTS_PER_PAGE ? null : page.at(-1)!.tenant_id;
  }
}

/**
 * Runs a statement that reads the index of the journals in order. Before the table is analyzed, the planner assumes
 * that a journal is short, and would read and sort all of it for every batch.
 */
function byIndex<Result>(db: Db, run: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    // `jit` as well: the cost of a disabled plan would trigger compilation, which takes longer than the short statement
    // itself.
    const plans = "{enable_sort,enable_bitmapscan,enable_seqscan,jit}";
    await sql`SELECT set_config(name, 'off', true) FROM unnest(${plans}::text[]) AS name`.execute(tx);
    return await run(tx);
  });
}

async function pruneJournals(
  db: Db,
  journals: readonly Journal[],
  retention: RefusalRetention,
  stopped?: AbortSignal,
): Promise<void> {
  for (const journal of journals) {
    const last = lastToDelete(journal, retention.since);
    if (last && !stopped?.aborted) await deleteUpTo(db, journal.tenant_id, last, stopped);
  }
}

function lastToDelete({ oldest, surplus_at, surplus_id }: Journal, since: Date): Place | undefined {
  const surplus = surplus_at && surplus_id ? { at: surplus_at, id: surplus_id } : undefined;
  if (oldest === null || oldest >= since || (surplus && surplus.at >= since)) return surplus;
  return { at: addMs(since, -1), id: LAST_ID };
}

async function deleteUpTo(db: Db, tenantId: string | null, last: Place, stopped?: AbortSignal): Promise<void> {
  const sameTenant = tenantId === null ? sql`tenant_id IS NULL` : sql`tenant_id = ${tenantId}`;
  const first = { at: BEGINNING, id: FIRST_ID };
  await pruneAlong<Place>(
    first,
    async (from, limit) => {
      const batch = sql<Place & { deleted: string }>`
        WITH batch AS (
          SELECT id, at FROM connection_refusals
           WHERE ${sameTenant} AND (at, id) > (${from.at}, ${from.id}::uuid) AND (at, id) <= (${last.at}, ${last.id}::uuid)
           ORDER BY at, id LIMIT ${limit}
        ), gone AS (
          DELETE FROM connection_refusals WHERE id = ANY (ARRAY(SELECT id FROM batch))
        ) SELECT at, id, (SELECT count(*) FROM batch) AS deleted FROM batch ORDER BY at DESC, id DESC LIMIT 1`;
      const [end] = (await byIndex(db, (tx) => batch.execute(tx))).rows;
      return { rows: Number(end?.deleted ?? 0), last: end ? { at: end.at, id: end.id } : null };
    },
    { stopped },
  );
}

const journalOfNoTenant = statement<{ entries: number }, Journal>(
  "refusals-of-no-tenant",
  (p) => sql`
  SELECT NULL::uuid AS tenant_id, s.at AS surplus_at, s.id AS surplus_id,
         (SELECT r.at FROM connection_refusals r WHERE r.tenant_id IS NULL ORDER BY r.at, r.id LIMIT 1) AS oldest
    FROM (VALUES (1)) one
    LEFT JOIN LATERAL (SELECT r.at, r.id FROM connection_refusals r WHERE r.tenant_id IS NULL
                        ORDER BY r.at DESC, r.id DESC OFFSET ${p.entries}::bigint LIMIT 1) s ON true`,
);

/** Reads the journals of the next tenants by id. Finding a tenant costs one index step, however many entries it has. */
const nextJournals = statement<{ after: string; entries: number }, Journal>(
  "refusals-of-tenants",
  (p) => sql`
  WITH RECURSIVE tenant (id, place) AS (
    SELECT (SELECT r.tenant_id FROM connection_refusals r WHERE r.tenant_id > ${p.after}::uuid
             ORDER BY r.tenant_id LIMIT 1), 1
    UNION ALL
    SELECT (SELECT r.tenant_id FROM connection_refusals r WHERE r.tenant_id > tenant.id ORDER BY r.tenant_id LIMIT 1),
           place + 1
      FROM tenant WHERE tenant.id IS NOT NULL AND place < ${sql.lit(TENANTS_PER_PAGE)}
  )
  SELECT tenant.id AS tenant_id, s.at AS surplus_at, s.id AS surplus_id,
         (SELECT r.at FROM connection_refusals r WHERE r.tenant_id = tenant.id ORDER BY r.at, r.id LIMIT 1) AS oldest
    FROM tenant
    LEFT JOIN LATERAL (SELECT r.at, r.id FROM connection_refusals r WHERE r.tenant_id = tenant.id
                        ORDER BY r.at DESC, r.id DESC OFFSET ${p.entries}::bigint LIMIT 1) s ON true
   WHERE tenant.id IS NOT NULL ORDER BY tenant.place`,
);
