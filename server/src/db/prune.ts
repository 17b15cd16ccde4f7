/** The number of rows that one statement of a clean-up deletes, well within the statement time limit. */
const BATCH = 2_000;

export interface PruneOptions {
  limit?: number;
  /** Ends the clean-up after the current batch; the next clean-up continues. */
  stopped?: AbortSignal | undefined;
}

/**
 * Deletes in batches until nothing is left to delete. Each batch is a statement and commit of its own, so a clean-up
 * that is far behind still makes progress, and is never rolled back as a whole.
 *
 * @param deleteBatch deletes at most `limit` rows and returns how many it deleted
 * @returns the total number of deleted rows
 */
export async function pruneInBatches(
  deleteBatch: (limit: number) => Promise<number>,
  { limit = BATCH, stopped }: PruneOptions = {},
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await deleteBatch(limit);
    deleted += batch;
    if (batch < limit || stopped?.aborted) return deleted;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The result of one statement of {@link pruneAlong}. */
export interface Pruned<Place> {
  /** The number of visited rows, deleted or not. Fewer than `limit` end the clean-up. */
  rows: number;
  /** The last of these rows in index order; `null` if there was none. */
  last: Place | null;
}

/**
 * Prunes along an index: each batch starts where the previous one ended. Batches that all start at the first row would
 * traverse the deleted ones, which stay in the index until a vacuum, in time quadratic in the rows.
 *
 * @param first below every row
 */
export async function pruneAlong<Place>(
  first: Place,
  pruneBatch: (from: Place, limit: number) => Promise<Pruned<Place>>,
  options: PruneOptions = {},
): Promise<void> {
  let from = first;
  await pruneInBatches(async (limit) => {
    const { rows, last } = await pruneBatch(from, limit);
    from = last ?? from;
    return rows;
  }, options);
}

/** Earlier than every time in the database: the start of a clean-up by age. */
export const BEGINNING = new Date(0);
