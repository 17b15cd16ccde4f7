/** One page of a list: `total` counts all rows that match; `skip` and `limit` echo the effective values (spec 4.5). */
export interface Page<T> {
  items: T[];
  total: number;
  skip: number;
  limit: number;
}

export interface PageRequest {
  skip: number;
  limit: number;
}

/** Whether `answer` is one page of a list. */
export function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === "object" && answer !== null && "items" in answer && "total" in answer;
}
