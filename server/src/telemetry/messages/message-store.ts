import { type RawBuilder, sql } from "kysely";
import { textArray } from "../../db/array-literal.ts";
import { float8Array, int4Array, timestampArray } from "../../db/binary-array.ts";
import { violatedUnique } from "../../db/refusal.ts";
import type { Parameters } from "../../db/statement.ts";
import { DEFAULT_RETENTION_DAYS } from "../partitions/partition-store.ts";
import type { RowRetention } from "../row-retention.ts";
import type { MessageRow } from "./message-rows.ts";

/**
 * Arrays in binary or literal form, one entry per row. An empty array stands for a column that is NULL in every row.
 */
export interface MessageValues {
  shapeNos: Buffer;
  rowTimes: Buffer;
  rowReceived: Buffer;
  retention: string;
  /** The range of its numbers within those of all rows, counted from 1. */
  rowFirsts: Buffer;
  rowLasts: Buffer;
  rowNumbers: Buffer;
  /** Array literals. */
  rowTexts: string;
}

/** @param retention one entry per row, or empty */
export function messageValues(rows: readonly MessageRow[], retention: readonly RowRetention[]): MessageValues {
  const numbers: number[] = [];
  const firsts: (number | undefined)[] = [];
  const lasts: (number | undefined)[] = [];
  for (const row of rows) {
    firsts.push(row.numbers.length === 0 ? undefined : numbers.length + 1);
    for (const number of row.numbers) numbers.push(number);
    lasts.push(row.numbers.length === 0 ? undefined : numbers.length);
  }
  return {
    shapeNos: int4Array(rows.map(({ shapeNo }) => shapeNo)),
    rowTimes: timestampArray(rows.map(({ time }) => time)),
    rowReceived: timestampArray(rows.map(({ time, receivedAt }) => (receivedAt === time ? undefined : receivedAt))),
    retention: sparse(retention, (days) => days?.toString()),
    rowFirsts: int4Array(firsts),
    rowLasts: int4Array(lasts),
    rowNumbers: float8Array(numbers),
    rowTexts: sparse(rows, ({ texts }) => (texts.length === 0 ? undefined : textArray(texts))),
  };
}

/** Returns a text array literal, empty if every element is NULL. */
function sparse<T>(elements: readonly T[], textOf: (element: T) => string | undefined): string {
  const texts = elements.map(textOf);
  return texts.every((text) => text === undefined) ? "{}" : textArray(texts);
}

/** Inserts the rows. `unnest` pads the shorter arrays with NULL. */
export function insertMessages(p: Parameters<MessageValues>): RawBuilder<unknown> {
  return sql`
INSERT INTO telemetry_messages AS t (shape_no, ts, received_at, retention_days, numbers, texts)
SELECT u.shape_no, u.ts, u.received_at, coalesce(u.retention, ${sql.lit(DEFAULT_RETENTION_DAYS)}),
       (${p.rowNumbers}::float8[])[u.first : u.last], u.texts::text[]
  FROM unnest(${p.shapeNos}::int[], ${p.rowTimes}::timestamptz[], ${p.rowReceived}::timestamptz[], ${p.retention}::smallint[],
              ${p.rowFirsts}::int[], ${p.rowLasts}::int[], ${p.rowTexts}::text[])
       AS u (shape_no, ts, received_at, retention, first, last, texts)
 WHERE coalesce(u.retention, 1) > 0`;
}

/** The clause that makes {@link insertMessages} replace rows that are already stored. */
export const replaceMessages = sql`
ON CONFLICT (shape_no, ts, retention_days) DO UPDATE
   SET seq = excluded.seq, received_at = excluded.received_at, numbers = excluded.numbers, texts = excluded.texts`;

/** Checks whether a batch failed because one of its rows is already stored. */
export function isRepeated(error: unknown): boolean {
  return /^telemetry_messages_\d+_\d+_pkey$/.test(violatedUnique(error) ?? "");
}
