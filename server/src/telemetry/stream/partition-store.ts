import { sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { PARTITION_LOCKS } from "../batch/progress-store.ts";

/** The state of a partition when a new owner claims it. */
export interface ClaimedPartition {
  partition: number;
  epoch: number;
  storedSequence: number;
  producers: Record<string, number>;
  /** The progress of batches after `storedSequence`: the stored messages as `0` and `1`, or null for all. */
  progress: { sequence: number; stored: string | null }[];
}

interface ClaimedRow {
  partition: number;
  epoch: string;
  stored_sequence: string;
  producers: Record<string, number>;
  /** Whether it belonged to another stream. */
  is_new: boolean;
}

/** The owner's report on a partition. */
export interface PartitionState {
  partition: number;
  epoch: number;
  storedSequence: number;
  producers: Record<string, number>;
  isCaughtUp: boolean;
}

/** The lease of a partition. Another process may claim it after this time without a renewal. */
const LEASE = sql.lit("5 seconds");

/**
 * Claims up to `count` partitions without an owner, and `again` of this process's own. Skips partitions that a
 * transaction is writing to; the next call takes those.
 *
 * @param streamId partitions that belonged to another stream start at this stream's first batch
 */
export async function claimPartitions(
  db: Db,
  { ownerId, streamId, count, again }: { ownerId: string; streamId: string; count: number; again: readonly number[] },
): Promise<ClaimedPartition[]> {
  return await db.transaction().execute(async (tx) => {
    const { rows: locked } = await sql<{ partition: number }>`
      SELECT c.partition FROM (
        (SELECT s.partition FROM stream_partitions s WHERE s.owner_id = ${ownerId} AND s.partition = ANY (${plainArray(again)}::text::int[]))
        UNION ALL
        (SELECT s.partition FROM stream_partitions s
          WHERE s.owner_id IS NULL OR s.renewed_at < clock_timestamp() - ${LEASE}::interval
          ORDER BY s.partition LIMIT ${count})
      ) c WHERE pg_try_advisory_xact_lock(${sql.lit(PARTITION_LOCKS)}, c.partition)`.execute(tx);
    if (locked.length === 0) return [];
    const partitions = plainArray(locked.map(({ partition }) => partition));
    const { rows } = await sql<ClaimedRow>`
      UPDATE stream_partitions s SET
        owner_id = ${ownerId}, epoch = s.epoch + 1, renewed_at = clock_timestamp(), stream_id = ${streamId},
        stored_sequence = CASE WHEN s.stream_id = ${streamId} THEN s.stored_sequence ELSE 0 END,
        producers = CASE WHEN s.stream_id = ${streamId} THEN s.producers ELSE '{}' END
        FROM (SELECT partition, stream_id FROM stream_partitions) former
       WHERE former.partition = s.partition AND s.partition = ANY (${partitions}::text::int[])
         AND (s.owner_id IS NULL OR s.owner_id = ${ownerId} OR s.renewed_at < clock_timestamp() - ${LEASE}::interval)
      RETURNING s.partition, s.epoch, s.stored_sequence, s.producers,
                former.stream_id IS DISTINCT FROM ${streamId} AS is_new`.execute(tx);
    const fresh = plainArray(rows.filter((row) => row.is_new).map(({ partition }) => partition));
    await sql`DELETE FROM stream_progress WHERE partition = ANY (${fresh}::text::int[])`.execute(tx);
    const { rows: progress } = await sql<{ partition: number; sequence: string; stored: string | null }>`
      SELECT partition, sequence, stored FROM stream_progress WHERE partition = ANY (${partitions}::text::int[])`.execute(
      tx,
    );
    return rows.map(({ partition, epoch, stored_sequence, producers }) => ({
      partition,
      epoch: Number(epoch),
      storedSequence: Number(stored_sequence),
      producers,
      progress: progress
        .filter((row) => row.partition === partition)
        .map(({ sequence, stored }) => ({ sequence: Number(sequence), stored })),
    }));
  });
}

/**
 * Renews the leases of these partitions and records their progress.
 *
 * @returns the partitions that this process still owns
 */
export async function renewPartitions(db: Db, ownerId: string, states: readonly PartitionState[]): Promise<number[]> {
  const { rows } = await sql<{ partition: number }>`
    WITH given AS (
      SELECT * FROM unnest(
        ${plainArray(states.map(({ partition }) => partition))}::text::int[], ${plainArray(states.map(({ epoch }) => epoch))}::text::bigint[],
        ${plainArray(states.map(({ storedSequence }) => storedSequence))}::text::bigint[],
        ${textArray(states.map(({ producers }) => JSON.stringify(producers)))}::text::text[],
        ${plainArray(states.map(({ isCaughtUp }) => isCaughtUp))}::text::boolean[])
        AS u (partition, epoch, stored_sequence, producers, is_caught_up)
    ), renewed AS (
      UPDATE stream_partitions s SET
        renewed_at = clock_timestamp(), stored_sequence = g.stored_sequence, producers = g.producers::jsonb,
        caught_up_at = CASE WHEN g.is_caught_up THEN clock_timestamp() ELSE s.caught_up_at END
        FROM given g WHERE s.partition = g.partition AND s.epoch = g.epoch AND s.owner_id = ${ownerId}
      RETURNING s.partition, s.stored_sequence
    ), done AS (
      DELETE FROM stream_progress p USING renewed r WHERE p.partition = r.partition AND p.sequence <= r.stored_sequence
    )
    SELECT partition FROM renewed`.execute(db);
  return rows.map(({ partition }) => partition);
}

/**
 * Maps partitions to the last batch up to which everything is stored. Contains only partitions claimed since the stream
 * was created.
 */
export async function storedSequences(db: Db, streamId: string): Promise<Map<number, number>> {
  const { rows } = await sql<{ partition: number; stored_sequence: string }>`
    SELECT partition, stored_sequence FROM stream_partitions WHERE stream_id = ${streamId}`.execute(db);
  return new Map(rows.map((row) => [row.partition, Number(row.stored_sequence)]));
}

/** Releases these partitions, so that other processes may take them immediately. */
export async function releasePartitions(db: Db, ownerId: string, partitions: readonly number[]): Promise<void> {
  await sql`
    UPDATE stream_partitions SET owner_id = NULL, renewed_at = NULL
     WHERE owner_id = ${ownerId} AND partition = ANY (${plainArray(partitions)}::text::int[])`.execute(db);
}
