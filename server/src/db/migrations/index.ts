import { baseline } from "./0001-baseline/index.ts";

/** A step of the schema. Forward only: a step that has shipped is never edited, a later one mends it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /**
   * Indexes of tables of earlier steps, as they follow CREATE INDEX. PostgreSQL builds them before `sql` runs, which
   * creates what does not exist yet, while processes go on writing the tables.
   */
  readonly indexes?: readonly string[];
}

/** Every step in order; `number` counts from 1 without gaps. */
export const migrations: readonly Migration[] = [{ number: 1, name: "baseline", sql: baseline }];
