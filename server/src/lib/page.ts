/** One page of a list: `total` counts all rows that match; `skip` and `limit` echo the effective values (spec 4.5). */
export interface Page<T> {
  items: T[];
  total: number;
  /** Counting has stopped, as `countAhead` asks: `total` rows match, or more. */
  totalIsAtLeast?: true;
  skip: number;
  limit: number;
}

export interface PageRequest {
  skip: number;
  limit: number;
  /** How many rows beyond the page are counted; absent: all, so that `total` is exact. Where counting costs nothing, all are anyway. */
  countAhead?: number | undefined;
  walk?: Walk | undefined;
}

/**
 * A walk through a whole list in its order, part by part, as an export makes it. A request with a walk gets the rows after those of the
 * part before; nothing is skipped, and nothing counted: `total` is 0. The list moves the walk on.
 */
export interface Walk {
  /** After which row the next part begins, as only the list understands it; absent at the front. */
  place?: readonly (string | null)[] | undefined;
  /** Set with the last part. */
  ended?: boolean;
}

/** Which page a query asks for, and by what it narrows the list. */
export function splitPage<Q extends PageRequest>(query: Q): [page: PageRequest, filter: Omit<Q, keyof PageRequest>] {
  const { skip, limit, countAhead, walk, ...filter } = query;
  return [{ skip, limit, countAhead, walk }, filter];
}

/** A page of a list that is at hand as a whole. */
export function pageOfAll<T>(all: readonly T[], { skip, limit, walk }: PageRequest): Page<T> {
  if (walk) walk.ended = true;
  return { items: walk ? [...all] : all.slice(skip, skip + limit), total: all.length, skip, limit };
}

/** Whether `answer` is one page of a list. */
export function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === "object" && answer !== null && "items" in answer && "total" in answer;
}
