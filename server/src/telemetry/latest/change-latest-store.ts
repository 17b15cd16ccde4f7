import { type RawBuilder, sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import { float8Array, timestampArray } from "../../db/binary-array.ts";
import { refusalCode, refuse, violatedUnique } from "../../db/refusal.ts";
import type { Parameters } from "../../db/statement.ts";
import { type DeviceLatest, isWritten, type LatestChange } from "./device-latest.ts";

/** The code that aborts a batch that was prepared from another version of a device than the stored one. */
const LATEST_CHANGED = "latest_values_changed";

/** One entry a device, but for the values of metrics, of which each device has a part. */
export interface LatestValues {
  uids: string;
  versions: string;
  seenAt: Buffer;
  latestTimes: Buffer;
  latestReceived: Buffer;
  /** Where the values of the device begin, and how many they are. */
  firsts: string;
  counts: string;
  /** Where its times begin, if its metrics do not share one. */
  spreads: string;
  /** Array literals of names and texts, letters and marks; NULL where nothing changes or is to be said. */
  names: string;
  kinds: string;
  replaced: string;
  marks: string;
  texts: string;
  numbers: Buffer;
  times: Buffer;
  received: Buffer;
  /** Devices that have only been seen, and when. */
  onlySeen: string;
  onlySeenAt: Buffer;
}

/** `unnest` pads the shorter arrays with NULL. */
const changes = (p: Parameters<LatestValues>) => sql`
  SELECT c.uid, c.version, c.seen_at, c.ts, c.received_at, c.names::text[] AS metrics, c.kinds, c.replaced::boolean[] AS replaced,
         c.marks::boolean[] AS marks, c.texts::text[] AS texts,
         (${p.numbers}::float8[])[c.first : c.first + c.count - 1] AS numbers,
         (${p.times}::timestamptz[])[c.spread : c.spread + c.count - 1] AS times,
         (${p.received}::timestamptz[])[c.spread : c.spread + c.count - 1] AS received
    FROM unnest(${p.uids}::uuid[], ${p.versions}::bigint[], ${p.seenAt}::timestamptz[], ${p.latestTimes}::timestamptz[],
                ${p.latestReceived}::timestamptz[], ${p.firsts}::int[], ${p.counts}::int[], ${p.spreads}::int[],
                ${p.names}::text[], ${p.kinds}::text[], ${p.replaced}::text[], ${p.marks}::text[], ${p.texts}::text[])
         AS c (uid, version, seen_at, ts, received_at, first, count, spread, names, kinds, replaced, marks, texts)`;

/** Which transaction wrote each metric, where the batch has not written all of them. */
const WRITERS = sql`CASE WHEN c.marks IS NOT NULL THEN ARRAY(
  SELECT CASE WHEN w.is_new THEN pg_current_xact_id() ELSE coalesce(w.writer, l.written) END
    FROM unnest(c.marks, l.writers) WITH ORDINALITY AS w (is_new, writer, place) ORDER BY w.place) END`;

const TEXTS = sql`CASE WHEN c.texts IS NULL THEN l.texts ELSE ARRAY(
  SELECT coalesce(t.new, t.old) FROM unnest(c.texts, l.texts) WITH ORDINALITY AS t (new, old, place) ORDER BY t.place) END`;

/**
 * CTEs that change the rows of devices, and add those of devices that have none. A row that another transaction has locked is skipped where
 * the device has only been seen: a rejected message can be recorded whatever happens to the values. They abort the statement when another process has changed
 * or added one since it was read: {@link isLatestConflict}.
 */
export function changeLatest(p: Parameters<LatestValues>): RawBuilder<unknown> {
  return sql`changes AS MATERIALIZED (${changes(p)}), updated AS (
  UPDATE device_latest l
     SET metrics = coalesce(c.metrics, l.metrics), kinds = coalesce(c.kinds, l.kinds), version = l.version + 1,
         seen_at = greatest(l.seen_at, c.seen_at), ts = c.ts, received_at = c.received_at, written = pg_current_xact_id(),
         numbers = c.numbers, times = c.times, received = c.received, writers = ${WRITERS}, replaced = c.replaced,
         texts = ${TEXTS}
    FROM changes c
   WHERE l.device_uid = c.uid AND c.version > 0
     AND CASE WHEN l.version = c.version THEN true ELSE ${refuse(LATEST_CHANGED)} END
), added AS (
  INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers, times, received,
                             replaced, texts)
  SELECT c.uid, c.metrics, c.kinds, 1, c.seen_at, c.ts, c.received_at, pg_current_xact_id(), c.numbers, c.times, c.received,
         c.replaced, c.texts
    FROM changes c WHERE c.version = 0
), seen AS (
  UPDATE device_latest l SET seen_at = s.at
    FROM (SELECT k.device_uid, u.at FROM unnest(${p.onlySeen}::uuid[], ${p.onlySeenAt}::timestamptz[]) AS u (uid, at)
            JOIN device_latest k ON k.device_uid = u.uid FOR NO KEY UPDATE OF k SKIP LOCKED) s
   WHERE l.device_uid = s.device_uid AND l.seen_at < s.at
)`;
}

/** Whether another process has stored a batch of the same device since its latest values were read. */
export function isLatestConflict(error: unknown): boolean {
  return refusalCode(error) === LATEST_CHANGED || violatedUnique(error) === "device_latest_pkey";
}

/** The devices of `all` in this order. */
export function latestValues(all: readonly LatestChange[]): LatestValues {
  const changes = all.filter(isWritten);
  const seen = changes.length === all.length ? [] : all.filter((change) => !isWritten(change));
  const numbers: number[] = [];
  const times: number[] = [];
  const received: number[] = [];
  const firsts = changes.map(({ latest }) => startOf(numbers, latest.numbers));
  const spreads = changes.map(({ latest }) => {
    if (isUniform(latest.times) && isUniform(latest.receivedAt)) return undefined;
    startOf(received, latest.receivedAt);
    return startOf(times, latest.times);
  });
  return {
    uids: plainArray(changes.map(({ deviceUid }) => deviceUid)),
    versions: plainArray(changes.map(({ latest }) => latest.version)),
    seenAt: timestampArray(changes.map(({ seenAt }) => seenAt)),
    latestTimes: timestampArray(changes.map(({ latest, seenAt }) => latest.times[0] ?? seenAt)),
    latestReceived: timestampArray(changes.map(({ latest, seenAt }) => latest.receivedAt[0] ?? seenAt)),
    firsts: plainArray(firsts),
    counts: plainArray(changes.map(({ latest }) => latest.numbers.length)),
    spreads: sparse(spreads),
    names: sparse(changes.map((change) => (isNew(change) ? textArray(change.latest.metrics) : undefined))),
    kinds: sparse(changes.map((change) => (isNew(change) ? change.latest.kinds.join("") : undefined))),
    replaced: sparse(changes.map(({ latest }) => replacedOf(latest))),
    marks: sparse(changes.map(marksOf)),
    texts: sparse(changes.map(textsOf)),
    numbers: float8Array(numbers),
    times: timestampArray(times),
    received: timestampArray(received),
    onlySeen: plainArray(seen.map(({ deviceUid }) => deviceUid)),
    onlySeenAt: timestampArray(seen.map(({ seenAt }) => seenAt)),
  };
}

function isNew({ latest, isReshaped }: LatestChange): boolean {
  return isReshaped || latest.version === 0;
}

/** Appends `values`. @returns where they begin, counted from 1 */
function startOf(all: number[], values: readonly number[]): number {
  const first = all.length + 1;
  for (const value of values) all.push(value);
  return first;
}

function isUniform(values: readonly number[]): boolean {
  for (const value of values) if (value !== values[0]) return false;
  return true;
}

function replacedOf({ replaced }: DeviceLatest): string | undefined {
  return replaced.includes(true) ? plainArray(replaced) : undefined;
}

/** `t` where a metric has changed. `undefined` where all have. */
function marksOf({ latest, changed }: LatestChange): string | undefined {
  if (changed.length === latest.metrics.length) return undefined;
  const marks = new Array<string>(latest.metrics.length).fill("f");
  for (const place of changed) marks[place] = "t";
  return `{${marks.join(",")}}`;
}

function textsOf({ latest, texts }: LatestChange): string | undefined {
  if (texts === undefined) return undefined;
  return textArray(latest.metrics.map((_, place) => texts.get(place)));
}

/** An array literal of text, empty when every element is NULL. */
function sparse(elements: readonly (string | number | undefined)[]): string {
  if (elements.every((element) => element === undefined)) return "{}";
  return textArray(elements.map((element) => (element === undefined ? undefined : String(element))));
}
