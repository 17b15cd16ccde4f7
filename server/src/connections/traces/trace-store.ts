import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { pruneInBatches } from "../../db/prune.ts";

/** Carries the key of a started trace, as text: the tenant's id, a space and the client id. */
export const TRACES_CHANNEL = "muster_client_traces";

export interface TraceRow {
  id: string;
  tenant_id: string;
  client_id: string;
  started_at: Date;
  ends_at: Date;
}

export const TRACE_KINDS = [
  "connected",
  "disconnected",
  "published",
  "not_stored",
  "partly_stored",
  "publish_refused",
  "subscribed",
  "subscribe_refused",
  "delivered",
  "omitted",
] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];

export interface NewTraceEntryRow {
  trace_id: string;
  at: Date;
  kind: TraceKind;
  topic: string | null;
  bytes: number | null;
  detail: string | null;
}

export interface TraceEntryRow extends Omit<NewTraceEntryRow, "trace_id"> {
  /** bigint */
  seq: string;
}

/** Lets only one of the transactions that start a trace of the tenant count its traces at a time. */
export async function lockTraces(tx: Tx, tenantId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster client traces ${tenantId}`}, 0))`.execute(tx);
}

/** Counts the traces of a tenant's other clients that have not ended. */
export async function countTraces(tx: Tx, tenantId: string, clientId: string, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom("client_traces")
    .select((of) => of.fn.countAll<string>().as("count"))
    .where("tenant_id", "=", tenantId)
    .where("client_id", "<>", clientId)
    .where("ends_at", ">", now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Replaces the trace of a client, and tells every process. */
export async function replaceTrace(tx: Tx, row: TraceRow): Promise<void> {
  const { tenant_id, client_id } = row;
  await tx.deleteFrom("client_traces").where("tenant_id", "=", tenant_id).where("client_id", "=", client_id).execute();
  await tx.insertInto("client_traces").values(row).execute();
  await sql`SELECT pg_notify(${TRACES_CHANNEL}, ${`${tenant_id} ${client_id}`})`.execute(tx);
}

export async function findTrace(db: Db, tenantId: string, clientId: string): Promise<TraceRow | undefined> {
  return await db
    .selectFrom("client_traces")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
}

/** Returns the traces of all tenants that have not ended. */
export async function findTraces(db: Db, now: Date): Promise<TraceRow[]> {
  return await db.selectFrom("client_traces").selectAll().where("ends_at", ">", now).execute();
}

/** Returns the newest entries of a trace, the newest first. */
export async function listTraceEntries(db: Db, traceId: string, limit: number): Promise<TraceEntryRow[]> {
  return await db
    .selectFrom("client_trace_entries")
    .select(["seq", "at", "kind", "topic", "bytes", "detail"])
    .where("trace_id", "=", traceId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
}

/** Stores entries in their order, without those whose trace has been replaced or deleted. */
export async function insertTraceEntries(db: Db, rows: readonly NewTraceEntryRow[]): Promise<void> {
  const columns = {
    ids: rows.map(({ trace_id }) => trace_id),
    times: rows.map(({ at }) => at.toISOString()),
    kinds: rows.map(({ kind }) => kind),
    topics: rows.map(({ topic }) => topic),
    bytes: rows.map(({ bytes }) => bytes),
    details: rows.map(({ detail }) => detail),
  };
  await sql`
    INSERT INTO client_trace_entries (trace_id, at, kind, topic, bytes, detail)
    SELECT n.trace_id, n.at, n.kind, n.topic, n.bytes, n.detail
      FROM unnest(${columns.ids}::uuid[], ${columns.times}::timestamptz[], ${columns.kinds}::text[],
                  ${columns.topics}::text[], ${columns.bytes}::int[], ${columns.details}::text[])
             WITH ORDINALITY AS n(trace_id, at, kind, topic, bytes, detail, place)
      JOIN client_traces t ON t.id = n.trace_id
     ORDER BY n.place FOR KEY SHARE OF t`.execute(db);
}

/** A trace may have some 6,000 entries, which are deleted with it. */
const TRACES_PER_BATCH = 5;

/** Deletes traces that ended before `before`, with their entries. */
export async function pruneTraces(db: Db, before: Date, stopped?: AbortSignal): Promise<void> {
  await pruneInBatches(
    async (limit) => {
      const { numAffectedRows } = await sql`
        DELETE FROM client_traces WHERE id IN (SELECT id FROM client_traces WHERE ends_at < ${before} LIMIT ${limit})`.execute(
        db,
      );
      return Number(numAffectedRows ?? 0);
    },
    { stopped, limit: TRACES_PER_BATCH },
  );
}
