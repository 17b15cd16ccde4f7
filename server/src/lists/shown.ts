import { type RawBuilder, sql } from "kysely";
import type { PageRequest } from "../lib/page.ts";
import type { ListName } from "./lists.ts";

/** The part of each row that is read. */
export interface Shown {
  readonly list: ListName;
  /** The alias of the table in `columns`. */
  readonly as: string;
  /**
   * SQL: a LEFT JOIN of at most one row per row, for `columns`, an order or a condition. The planner removes it if
   * unused.
   */
  readonly join?: RawBuilder<unknown> | undefined;
  /** The SELECT list of a row. */
  readonly columns: RawBuilder<unknown>;
}

/** Returns SQL for the rows of the list, to be used in FROM or JOIN. */
export function tableOf({ list, as, join }: Pick<Shown, "list" | "as" | "join">): RawBuilder<unknown> {
  const table = sql`${sql.table(list)} ${sql.ref(as)}`;
  return join === undefined ? table : sql`(${table} ${join})`;
}

export interface Counted<Row> {
  rows: Row[];
  /** The exact number of rows, at the same moment as the page. */
  total: number;
  /** Set when there may be more rows: as many were counted as the request asked for. */
  totalIsAtLeast?: true;
}

/** Returns the total for `page`, if at most `countAhead` rows beyond it were counted. */
export function totalOf(counted: number, { skip, limit, countAhead }: PageRequest): Omit<Counted<unknown>, "rows"> {
  const isCut = countAhead !== undefined && counted >= skip + limit + countAhead;
  return { total: counted, ...(isCut ? { totalIsAtLeast: true } : {}) };
}
