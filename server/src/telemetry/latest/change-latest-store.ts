import { type RawBuilder, sql } from "kysely";
import { refusalCode, refuse, violatedUnique } from "../../db/refusal.ts";
import type { Parameters } from "../../db/statement.ts";
import type { LatestValues } from "./latest-values-store.ts";

/** The code that aborts a batch prepared from a version of a device that is no longer the stored one. */
const LATEST_CHANGED = "latest_values_changed";

/** The columns of a change, with the parameter that has one value per row and the type of the array. */
const CHANGE: Readonly<Record<string, readonly [keyof LatestValues, type: string]>> = {
  uid: ["uids", "uuid[]"],
  part: ["parts", "smallint[]"],
  is_new: ["additions", "boolean[]"],
  version: ["versions", "bigint[]"],
  seen_at: ["seenAt", "timestamptz[]"],
  ts: ["latestTimes", "timestamptz[]"],
  received_at: ["latestReceived", "timestamptz[]"],
  first: ["firsts", "int[]"],
  count: ["counts", "int[]"],
  times_first: ["timesFirst", "int[]"],
  received_first: ["receivedFirst", "int[]"],
  // Arrays as text, since `unnest` would flatten arrays of arrays.
  names: ["names", "text[]"],
  kinds: ["kinds", "text[]"],
  replaced: ["replaced", "text[]"],
  marks: ["marks", "text[]"],
  texts: ["texts", "text[]"],
};

/** Selects the changes. `unnest` pads the shorter arrays with NULL. */
function changes(p: Parameters<LatestValues>): RawBuilder<unknown> {
  const arrays = Object.values(CHANGE).map(([name, type]) => sql`${p[name]}::${sql.raw(type)}`);
  const columns = Object.keys(CHANGE).map((column) => sql.ref(column));
  return sql`
  SELECT c.uid, coalesce(c.part, 0) AS part, c.is_new, c.version, c.seen_at, c.ts, c.received_at, c.kinds,
         c.names::text[] AS metrics, c.replaced::boolean[] AS replaced, c.marks::boolean[] AS marks, c.texts::text[] AS texts,
         (${p.numbers}::float8[])[c.first : c.first + c.count - 1] AS numbers,
         (${p.times}::timestamptz[])[c.times_first : c.times_first + c.count - 1] AS times,
         (${p.received}::timestamptz[])[c.received_first : c.received_first + c.count - 1] AS received
    FROM unnest(${sql.join(arrays)}) AS c (${sql.join(columns)})`;
}

/** The transaction that wrote each metric, if the batch did not write all of them. */
const WRITERS = sql`CASE WHEN c.marks IS NOT NULL THEN ARRAY(
  SELECT CASE WHEN w.is_new THEN pg_current_xact_id() ELSE coalesce(w.writer, l.written) END
    FROM unnest(c.marks, l.writers) WITH ORDINALITY AS w (is_new, writer, place) ORDER BY w.place) END`;

const TEXTS = sql`CASE WHEN c.texts IS NULL THEN l.texts ELSE ARRAY(
  SELECT coalesce(t.new, t.old) FROM unnest(c.texts, l.texts) WITH ORDINALITY AS t (new, old, place) ORDER BY t.place) END`;

/** The optimistic lock. Only the first row of a device has a version, and it is among the changes of every device. */
const isExpected = sql`CASE WHEN l.version IS NOT DISTINCT FROM c.version THEN true ELSE ${refuse(LATEST_CHANGED)} END`;

/**
 * Builds CTEs that change the rows of devices and add missing ones. Where a device was only seen, a row locked by
 * another transaction is skipped, so that a rejected message can always be recorded. The statement aborts if another
 * process has changed or added a row since it was read: {@link isLatestConflict}. Fires `device_latest_first_message`.
 */
export function changeLatest(p: Parameters<LatestValues>): RawBuilder<unknown> {
  return sql`changes AS MATERIALIZED (${changes(p)}), updated AS (
  UPDATE device_latest l
     SET metrics = coalesce(c.metrics, l.metrics), kinds = coalesce(c.kinds, l.kinds), version = l.version + 1,
         seen_at = greatest(l.seen_at, c.seen_at), ts = c.ts, received_at = c.received_at, written = pg_current_xact_id(),
         numbers = c.numbers, times = c.times, received = c.received, writers = ${WRITERS}, replaced = c.replaced,
         texts = ${TEXTS}
    FROM changes c
   WHERE l.device_uid = c.uid AND l.part = c.part AND c.is_new IS NULL AND c.numbers IS NOT NULL AND ${isExpected}
), counted AS (
  UPDATE device_latest l SET version = l.version + 1, seen_at = greatest(l.seen_at, c.seen_at)
    FROM changes c WHERE l.device_uid = c.uid AND l.part = c.part AND c.numbers IS NULL AND ${isExpected}
), added AS (
  INSERT INTO device_latest (device_uid, part, metrics, kinds, version, seen_at, ts, received_at, written, numbers, times, received,
                             replaced, texts)
  SELECT c.uid, c.part, c.metrics, c.kinds, c.version + 1, c.seen_at, c.ts, c.received_at, pg_current_xact_id(), c.numbers, c.times,
         c.received, c.replaced, c.texts
    FROM changes c WHERE c.is_new
), seen AS (
  UPDATE device_latest l SET seen_at = s.at
    FROM (SELECT k.device_uid, u.at FROM unnest(${p.onlySeen}::uuid[], ${p.onlySeenAt}::timestamptz[]) AS u (uid, at)
            JOIN device_latest k ON k.device_uid = u.uid AND k.part = 0 FOR NO KEY UPDATE OF k SKIP LOCKED) s
   WHERE l.device_uid = s.device_uid AND l.part = 0 AND l.seen_at < s.at
)`;
}

/** Checks whether another process has stored a batch of the same device since its latest values were read. */
export function isLatestConflict(error: unknown): boolean {
  return refusalCode(error) === LATEST_CHANGED || violatedUnique(error) === "device_latest_pkey";
}
