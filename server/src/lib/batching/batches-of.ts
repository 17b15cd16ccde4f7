/**
 * Rows per statement: enough to make a round trip cheap, few enough to stay within the statement time limit on a busy
 * database.
 */
export const ROWS_OF_STATEMENT = 5_000;

/** Yields `items` in order, at most `size` at a time. */
export function* batchesOf<T>(items: readonly T[], size = ROWS_OF_STATEMENT): Generator<T[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size);
}
