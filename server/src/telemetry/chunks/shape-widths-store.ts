import { sql } from "kysely";

export const ROW_BYTES = 46;
export const VALUE_BYTES = 12;
/** A row has one value at least. */
export const LEAST_WIDTH = ROW_BYTES + VALUE_BYTES;
const TEXT_BYTES = 1024;
/** Texts are most often much shorter than they may be: of the longest ones, so many times as much is read. */
export const TEXT_FACTOR = 4;

/** Shapes, with about what a row of each takes in memory, in bytes. */
export const SHAPES = sql`(
  SELECT shape_no, device_uid, metrics, kinds,
         greatest(${sql.lit(ROW_BYTES)} + ${sql.lit(VALUE_BYTES)} * cardinality(metrics),
                  ${sql.lit(TEXT_BYTES / TEXT_FACTOR)} * (length(kinds) - length(rtrim(kinds, 't')))) AS width
    FROM telemetry_shapes)`;
