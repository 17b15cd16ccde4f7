/** One page of a list. `total` counts all matching rows; `skip` and `limit` echo the effective values (spec 4.5). */
export interface Page<T> {
  items: T[];
  total: number;
  /** Set if counting stopped at `countAhead`: `total` or more rows match. */
  totalIsAtLeast?: true;
  skip: number;
  limit: number;
}

export interface PageRequest {
  skip: number;
  limit: number;
  /**
   * The number of rows counted beyond the page; by default all, so that `total` is exact. Lists that count at no cost
   * count all of them anyway.
   */
  countAhead?: number | undefined;
  walk?: Walk | undefined;
}

/**
 * A walk through a whole list in its order, part by part, as an export needs it. A request with a walk gets the rows
 * after the previous part, without skipping or counting: `total` is 0. The list advances the walk.
 */
export interface Walk {
  /** The row after which the next part begins, in a form private to the list; absent at the front. */
  place?: readonly (string | null)[] | undefined;
  /** Set with the last part. */
  ended?: boolean;
}

/** Splits a query into its page and its filter. */
export function splitPage<Q extends PageRequest>(query: Q): [page: PageRequest, filter: Omit<Q, keyof PageRequest>] {
  const { skip, limit, countAhead, walk, ...filter } = query;
  return [{ skip, limit, countAhead, walk }, filter];
}

/** Returns a page of a list that is completely in memory. */
export function pageOfAll<T>(all: readonly T[], { skip, limit, walk }: PageRequest): Page<T> {
  if (walk) walk.ended = true;
  return { items: walk ? [...all] : all.slice(skip, skip + limit), total: all.length, skip, limit };
}

/** Reports whether `answer` is one page of a list. */
export function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === "object" && answer !== null && "items" in answer && "total" in answer;
}
