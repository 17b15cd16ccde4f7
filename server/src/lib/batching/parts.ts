/** Rows of one statement: so many that a round trip costs little, so few that the statement is within its time limit on a busy database. */
export const ROWS_OF_STATEMENT = 5_000;

/** `items` in their order, at most `size` at a time. */
export function* parts<T>(items: readonly T[], size = ROWS_OF_STATEMENT): Generator<T[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size);
}
