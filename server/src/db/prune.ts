/** Rows of one statement of a clean-up: few enough for the time limit of a statement, and for other statements to get their turn. */
const BATCH = 2_000;

export interface PruneOptions {
  limit?: number;
  /** Ends the clean-up after the batch under way; the next one continues. */
  stopped?: AbortSignal | undefined;
}

/**
 * Deletes in batches until nothing is left to delete. Each batch is a statement and commit of its own, so a clean-up that has
 * fallen far behind still makes progress, and is never rolled back as a whole.
 *
 * @param deleteBatch deletes at most `limit` rows. @returns how many it deleted
 * @returns how many rows were deleted in all
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

/** What one statement of {@link pruneAlong} did. */
export interface Pruned<Place> {
  /** Rows it deleted or, where it deletes only some of them, visited: fewer than `limit` end the clean-up. */
  rows: number;
  /** The last of these rows by the index; `null` when there was none. */
  last: Place | null;
}

/**
 * The same along an index: each batch starts where the one before it ended. Starting at the first row again, it would walk over the
 * deleted ones, which stay in the index until a vacuum: time grows by the square of the rows.
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

/** Before every time in the database: where a clean-up by age starts. */
export const BEGINNING = new Date(0);
