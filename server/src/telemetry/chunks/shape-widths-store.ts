import { sql } from "kysely";

export const ROW_BYTES = 46;
export const VALUE_BYTES = 12;
/** The width of a row with a single value, the minimum. */
export const LEAST_WIDTH = ROW_BYTES + VALUE_BYTES;
const TEXT_BYTES = 1024;
/** Most texts are much shorter than the maximum, so this multiple of the longest text is allowed. */
export const TEXT_FACTOR = 4;

/** The shapes with the approximate size of a row in memory, in bytes. */
export const SHAPES = sql`(
  SELECT shape_no, device_uid, metrics, kinds,
         greatest(${sql.lit(ROW_BYTES)} + ${sql.lit(VALUE_BYTES)} * cardinality(metrics),
                  ${sql.lit(TEXT_BYTES / TEXT_FACTOR)} * (length(kinds) - length(rtrim(kinds, 't')))) AS width
    FROM telemetry_shapes)`;
