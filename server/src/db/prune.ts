/** Rows of one statement of a clean-up: few enough for the time limit of a statement, and for other statements to get their turn. */
const BATCH = 2_000;

/**
 * Deletes in batches until nothing is left to delete. Each batch is a statement and commit of its own, so a clean-up that has
 * fallen far behind still makes progress, and is never rolled back as a whole.
 *
 * @param deleteBatch deletes at most `limit` rows. @returns how many it deleted
 * @returns how many rows were deleted in all
 */
export async function pruneInBatches(
  deleteBatch: (limit: number) => Promise<number>,
  limit: number = BATCH,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await deleteBatch(limit);
    deleted += batch;
    if (batch < limit) return deleted;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
