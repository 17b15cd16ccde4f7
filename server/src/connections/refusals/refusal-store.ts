import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";

export interface RefusalRow {
  id: string;
  tenant_id: string | null;
  at: Date;
  reason: string;
  client_id: string | null;
  device_id: string | null;
  serial_number: string | null;
  fingerprint_sha256: string | null;
  remote_address: string | null;
  topic: string | null;
}

/** An entry with how many refusals it stands for, and when the last of them was. */
export interface CountedRefusalRow extends RefusalRow {
  /** bigint */
  occurrences: string;
  last_at: Date | null;
}

/** Further refusals of an entry. */
export interface Repetition {
  id: string;
  count: number;
  lastAt: Date;
}

export async function insertRefusals(db: Db, rows: readonly RefusalRow[]): Promise<void> {
  await db.insertInto("connection_refusals").values(rows).execute();
}

const addRepetitions = statement<{ ids: string[]; counts: number[]; times: Date[] }, object>(
  "add-refusal-repetitions",
  (p) => sql`
  UPDATE connection_refusals r SET occurrences = r.occurrences + n.count, last_at = n.last_at
    FROM unnest(${p.ids}::uuid[], ${p.counts}::bigint[], ${p.times}::timestamptz[]) AS n(id, count, last_at)
   WHERE r.id = n.id`,
);

/** Adds to the counts of entries; one that has been deleted since is skipped. */
export async function countRepetitions(db: Db, repetitions: readonly Repetition[]): Promise<void> {
  await runStatement(db, addRepetitions, {
    ids: repetitions.map(({ id }) => id),
    counts: repetitions.map(({ count }) => count),
    times: repetitions.map(({ lastAt }) => lastAt),
  });
}

export async function listRefusalRows(
  db: Db,
  tenantId: string,
  skip: number,
  limit: number,
): Promise<{ rows: CountedRefusalRow[]; total: number }> {
  const rows = await db
    .selectFrom("connection_refusals")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .offset(skip)
    .limit(limit)
    .execute();
  const count = await db
    .selectFrom("connection_refusals")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  return { rows, total: Number(count.total) };
}
