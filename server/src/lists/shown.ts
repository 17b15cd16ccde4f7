import { type RawBuilder, sql } from "kysely";
import type { PageRequest } from "../lib/page.ts";
import type { ListName } from "./lists.ts";

/** What of each row is read. */
export interface Shown {
  readonly list: ListName;
  /** What the table is called in `columns`. */
  readonly as: string;
  /** SQL: a LEFT JOIN of at most one row to each, for `columns`, an order or a condition. The planner leaves it out where none needs it. */
  readonly join?: RawBuilder<unknown> | undefined;
  /** The SELECT list of a row. */
  readonly columns: RawBuilder<unknown>;
}

/** SQL: the rows of the list, to stand in FROM or JOIN. */
export function tableOf({ list, as, join }: Pick<Shown, "list" | "as" | "join">): RawBuilder<unknown> {
  const table = sql`${sql.table(list)} ${sql.ref(as)}`;
  return join === undefined ? table : sql`(${table} ${join})`;
}

export interface Counted<Row> {
  rows: Row[];
  /** Exactly how many rows there are, of the same moment as the page. */
  total: number;
  /** There may be more: as many were counted as the request asked for. */
  totalIsAtLeast?: true;
}

/** The total of `page` where no more than that and `countAhead` were counted. */
export function totalOf(counted: number, { skip, limit, countAhead }: PageRequest): Omit<Counted<unknown>, "rows"> {
  const isCut = countAhead !== undefined && counted >= skip + limit + countAhead;
  return { total: counted, ...(isCut ? { totalIsAtLeast: true } : {}) };
}
