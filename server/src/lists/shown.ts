import type { RawBuilder } from "kysely";
import type { ListName } from "./lists.ts";

/** What of each row is read. */
export interface Shown {
  readonly list: ListName;
  /** What the table is called in `columns`. */
  readonly as: string;
  /** The SELECT list of a row. */
  readonly columns: RawBuilder<unknown>;
}

export interface Counted<Row> {
  rows: Row[];
  /** Exactly how many rows there are, of the same moment as the page. */
  total: number;
}
