import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import { type BoundStatement, statement } from "../../db/statement.ts";
import { PartitionLost, type StreamPosition } from "../stream-position.ts";

/**
 * The first key of two-key advisory locks; the second is the partition. Storing takes the lock shared, a change of
 * owner exclusive.
 */
export const PARTITION_LOCKS = 1_937_010_029;

const lockPartitions = statement<{ partitions: string }, object>(
  "lock-stream-partitions",
  (p) => sql`
  SELECT pg_advisory_xact_lock_shared(${sql.lit(PARTITION_LOCKS)}, u.partition)
    FROM unnest(${p.partitions}::text::int[]) AS u (partition)`,
);

interface ProgressValues {
  owned: string;
  epochs: string;
  partitions: string;
  sequences: string;
  stored: string;
}

const recordProgress = statement<ProgressValues, object>(
  "record-stream-progress",
  (p) => sql`
  WITH owned AS (
    SELECT count(*) = cardinality(${p.owned}::text::int[]) AS "all"
      FROM unnest(${p.owned}::text::int[], ${p.epochs}::text::bigint[]) AS u (partition, epoch)
      JOIN stream_partitions s ON s.partition = u.partition AND s.epoch = u.epoch
  ), recorded AS (
    INSERT INTO stream_progress (partition, sequence, stored)
    SELECT partition, sequence, stored
      FROM unnest(${p.partitions}::text::int[], ${p.sequences}::text::bigint[], ${p.stored}::text::text[])
           AS u (partition, sequence, stored)
  )
  SELECT CASE WHEN NOT "all" THEN muster_refuse('partition_lost') END FROM owned`,
);

/**
 * Builds statements that record the messages at these positions as stored, and refuse the transaction if a partition
 * has another owner. They must come first in their transaction: the second statement must see what was committed before
 * the first one acquired its locks.
 *
 * @param batch messages from the stream and others; a message with remaining parts is not stored yet
 * @throws PartitionLost if this process already knows that it lost a partition
 */
export function progressGuards(
  batch: readonly { position: StreamPosition | undefined; parts: readonly unknown[] }[],
): BoundStatement[] {
  const epochs = new Map<number, number>();
  const batches = new Map<string, { position: StreamPosition; indexes: number[] }>();
  for (const { position, parts } of batch) {
    if (position === undefined) continue;
    const { claim, sequence, index } = position;
    if (claim.isLost) throw new PartitionLost(`partition ${claim.partition} of the stream has another owner`);
    epochs.set(claim.partition, claim.epoch);
    if (parts.length > 0) continue;
    const key = `${claim.partition} ${sequence}`;
    const stored = batches.get(key) ?? { position, indexes: [] };
    if (stored.indexes.length === 0) batches.set(key, stored);
    stored.indexes.push(index);
  }
  if (epochs.size === 0) return [];
  const owned = plainArray([...epochs.keys()]);
  const stored = [...batches.values()];
  return [
    lockPartitions.with({ partitions: owned }),
    recordProgress.with({
      owned,
      epochs: plainArray([...epochs.values()]),
      partitions: plainArray(stored.map(({ position }) => position.claim.partition)),
      sequences: plainArray(stored.map(({ position }) => position.sequence)),
      stored: plainArray(stored.map(({ position, indexes }) => bitsOf(indexes, position.count))),
    }),
  ];
}

/** @returns NULL if all are stored, as most batches are stored by one transaction */
function bitsOf(indexes: readonly number[], count: number): string | undefined {
  if (indexes.length === count) return undefined;
  const bits = new Uint8Array(count).fill(48);
  for (const index of indexes) bits[index] = 49;
  return Buffer.from(bits).toString("latin1");
}
