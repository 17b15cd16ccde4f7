import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { AuditStreamsTable } from "../../db/schema.generated.ts";

export type StreamKind = AuditStreamsTable["kind"];

/** The destination of a tenant's audits. */
export interface StreamRow {
  tenant_id: string;
  kind: StreamKind;
  target: string;
  ca_pem: string | null;
  secret_seed: string;
  created_at: Date;
}

export interface StreamState extends StreamRow {
  last_error: string | null;
  last_sent_at: Date | null;
  /** Entries that were not accepted in time, or that the receiver refused. */
  lost: number;
  waiting: number;
  oldest_at: Date | null;
}

export async function findStream(db: Db, tenantId: string): Promise<StreamState | undefined> {
  const { rows } = await sql<StreamState>`
    SELECT s.tenant_id, s.kind, s.target, s.ca_pem, s.secret_seed, s.created_at, s.last_error, s.last_sent_at, s.lost,
           (SELECT count(*)::int FROM audit_outbox o WHERE o.tenant_id = s.tenant_id) AS waiting,
           (SELECT min(o.at) FROM audit_outbox o WHERE o.tenant_id = s.tenant_id) AS oldest_at
      FROM audit_streams s WHERE s.tenant_id = ${tenantId}`.execute(db);
  return rows[0];
}

/** Sets the stream of a tenant. Waiting entries go to the new receiver; the count of lost ones begins anew. */
export async function writeStream(tx: Tx, stream: StreamRow): Promise<void> {
  await sql`
    INSERT INTO audit_streams (tenant_id, kind, target, ca_pem, secret_seed, created_at, next_at)
    VALUES (${stream.tenant_id}, ${stream.kind}, ${stream.target}, ${stream.ca_pem}, ${stream.secret_seed},
            ${stream.created_at}, ${stream.created_at})
    ON CONFLICT (tenant_id) DO UPDATE SET kind = excluded.kind, target = excluded.target, ca_pem = excluded.ca_pem,
      secret_seed = excluded.secret_seed, next_at = excluded.next_at, failures = 0, last_error = NULL, lost = 0,
      lease = NULL, leased_until = NULL`.execute(tx);
}

/** Deletes the stream of a tenant with its waiting entries. */
export async function deleteStream(tx: Tx, tenantId: string): Promise<void> {
  await tx.deleteFrom("audit_streams").where("tenant_id", "=", tenantId).execute();
}

/** A leased stream; whoever has the lease alone sends and acknowledges. */
export interface LeasedStream extends StreamRow {
  lease: string;
  slug: string;
  failures: number;
}

/** Leases at most `limit` streams that are due and have waiting entries, the longest-overdue first. */
export async function leaseStreams(
  db: Db,
  { lease, now, until, limit }: { lease: string; now: Date; until: Date; limit: number },
): Promise<LeasedStream[]> {
  const { rows } = await sql<LeasedStream>`
    WITH due AS (
      SELECT tenant_id FROM audit_streams s
       WHERE next_at <= ${now} AND (leased_until IS NULL OR leased_until <= ${now})
         AND EXISTS (SELECT FROM audit_outbox o WHERE o.tenant_id = s.tenant_id)
       ORDER BY next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE audit_streams s SET lease = ${lease}, leased_until = ${until} FROM due, shared_tenants t
     WHERE s.tenant_id = due.tenant_id AND t.id = s.tenant_id
    RETURNING s.tenant_id, s.kind, s.target, s.ca_pem, s.secret_seed, s.created_at, s.lease, s.failures, t.slug`.execute(
    db,
  );
  return rows;
}

/** Ends a lease. @returns false when another process has it by now */
export async function releaseStream(
  db: Db,
  { tenant_id, lease }: LeasedStream,
  result: { nextAt: Date; error: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE audit_streams SET lease = NULL, leased_until = NULL, next_at = ${result.nextAt}, last_error = ${result.error},
           failures = CASE WHEN ${result.error}::text IS NULL THEN 0 ELSE failures + 1 END
     WHERE tenant_id = ${tenant_id} AND lease = ${lease}::uuid RETURNING tenant_id`.execute(db);
  return rows.length === 1;
}

/** An entry of an audit that waits to be sent. */
export interface OutboxRow {
  seq: string;
  audit: "admin" | "api" | "certificate";
  entry: Record<string, unknown>;
}

/**
 * Reads the next entries of a tenant, those of transactions that are older than every open one, as for events: no entry
 * that commits late is skipped, and the order of entries never changes.
 */
export async function readOutbox(db: Db, tenantId: string, limit: number): Promise<OutboxRow[]> {
  const { rows } = await sql<OutboxRow>`
    SELECT seq::text, audit, entry FROM audit_outbox
     WHERE tenant_id = ${tenantId} AND xid < pg_snapshot_xmin(pg_current_snapshot())
     ORDER BY xid, seq LIMIT ${limit}`.execute(db);
  return rows;
}

/** Deletes sent entries, unless another process has the lease by now, and extends the lease. @returns whether it did */
export async function acknowledge(
  tx: Tx,
  { tenant_id, lease }: LeasedStream,
  sent: { seqs: readonly string[]; now: Date; until: Date; refused: number },
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE audit_streams SET last_sent_at = ${sent.now}, leased_until = ${sent.until}, lost = lost + ${sent.refused}
     WHERE tenant_id = ${tenant_id} AND lease = ${lease}::uuid RETURNING tenant_id`.execute(tx);
  if (rows.length === 0) return false;
  await sql`DELETE FROM audit_outbox
    WHERE tenant_id = ${tenant_id} AND seq = ANY (${[...sent.seqs]}::bigint[])`.execute(tx);
  return true;
}

/** Deletes at most `limit` entries that have waited since `before`, and counts them as lost. @returns how many */
export async function dropOverdue(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    WITH gone AS (
      DELETE FROM audit_outbox WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM audit_outbox WHERE at <= ${before} ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING tenant_id),
    counted AS (SELECT tenant_id, count(*) AS entries FROM gone GROUP BY tenant_id),
    marked AS (UPDATE audit_streams s SET lost = lost + c.entries FROM counted c WHERE s.tenant_id = c.tenant_id)
    SELECT count(*)::int AS dropped FROM gone`.execute(db);
  return rows[0]!.dropped;
}

/** Returns how many entries wait for their receivers, and since when the longest-waiting one does. */
export async function readLag(db: Db): Promise<{ waiting: number; since: Date | null }> {
  const { rows } = await sql<{ waiting: number; since: Date | null }>`
    SELECT (SELECT count(*)::int FROM audit_outbox) AS waiting, (SELECT min(at) FROM audit_outbox) AS since`.execute(
    db,
  );
  return rows[0]!;
}
