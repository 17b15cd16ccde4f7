import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import { runPrepared, type Statement, type Tx } from "../../db/database.ts";
import { refusalCode } from "../../db/refusal.ts";
import type { Marks } from "../charts/roll-up-marks.ts";
import { insertMarks, marksParameters } from "../charts/roll-up-store.ts";
import { USUAL_RETENTION_DAYS } from "../partitions/partition-store.ts";
import type { Kept } from "../partitions/partitions.ts";
import type { RejectedMessage, TelemetryColumns } from "./batch.ts";

/** How many rejected messages a device keeps (docs/spec-decisions.md, telemetry payload). */
export const REJECTED_KEPT = 20;

/** The code with which a batch is refused whose readings were judged from a newest reading that is not the newest. */
const JUDGED_ELSEWHERE = "judged_elsewhere";

/**
 * Columns as array literals, which `unnest` pads with NULL where one is shorter: columns that say nothing in a batch
 * cost nothing. Times travel as microseconds, which a double contains exactly.
 *
 * Devices are touched without waiting for a lock: an enrollment that contains one must not hold up the telemetry of all.
 */
const STORE = `
WITH rows AS MATERIALIZED (
  SELECT device_uid, metric, to_timestamp(time / 1e6) AS ts, number, flag, text,
         to_timestamp(coalesce(received, time) / 1e6) AS received_at, coalesce(replaced, false) AS time_replaced,
         coalesce(newest, true) AS newest, to_timestamp(follows / 1e6) AS follows,
         coalesce(kept, ${USUAL_RETENTION_DAYS}) AS retention_days
    FROM unnest($1::text::uuid[], $2::text::text[], $3::text::float8[], $4::text::float8[], $5::text::boolean[],
                $6::text::text[], $7::text::float8[], $8::text::boolean[], $9::text::boolean[],
                $12::text::float8[], $13::text::smallint[])
         AS u (device_uid, metric, time, number, flag, text, received, replaced, newest, follows, kept)
), latest AS (
  INSERT INTO telemetry_latest AS l (device_uid, metric, ts, number, flag, text, received_at, time_replaced, follows)
  SELECT device_uid, metric, ts, number, flag, text, received_at, time_replaced, follows FROM rows WHERE newest
  ON CONFLICT (device_uid, metric) DO UPDATE
     SET ts = excluded.ts, number = excluded.number, flag = excluded.flag, text = excluded.text,
         received_at = excluded.received_at, time_replaced = excluded.time_replaced
   WHERE CASE WHEN excluded.follows IS NULL OR excluded.follows = l.ts THEN excluded.ts >= l.ts
              ELSE muster_refuse('${JUDGED_ELSEWHERE}') END
), seen AS (
  UPDATE devices d SET last_seen_at = s.at
    FROM (SELECT k.uid, to_timestamp(u.at / 1e6) AS at
            FROM unnest($10::text::uuid[], $11::text::float8[]) AS u (uid, at) JOIN devices k ON k.uid = u.uid
             FOR NO KEY UPDATE OF k SKIP LOCKED) s
   WHERE d.uid = s.uid AND (d.last_seen_at IS NULL OR d.last_seen_at < s.at)
), marked AS (
  ${insertMarks("$14", "$15", "$16")}
)
INSERT INTO telemetry AS t (device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days)
SELECT device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days FROM rows WHERE retention_days > 0
ON CONFLICT (device_uid, metric, ts, retention_days) DO UPDATE
   SET number = excluded.number, flag = excluded.flag, text = excluded.text,
       received_at = excluded.received_at, time_replaced = excluded.time_replaced`;

/** Which devices to mark as seen, and when (microseconds since 1970). */
export type Seen = ReadonlyMap<string, number>;

/** Where the rows of a batch go, and what is to be computed anew because of them. */
export interface Placing {
  /** For each row for how many days it is kept. */
  kept: readonly Kept[];
  marks: Marks;
  nowMs: number;
}

/**
 * Stores the rows, their latest values and the devices' last sign of life.
 *
 * @param follows for each row the time of the reading that it was judged to come after, minus infinity for none; `undefined`
 *   for a row that was not judged. Where another reading is the newest by now, all is refused: {@link isJudgedElsewhere}
 */
export function storeTelemetry(
  columns: TelemetryColumns,
  seen: Seen,
  follows: readonly (number | undefined)[],
  { kept, marks, nowMs }: Placing,
): Statement {
  const { deviceUids, metrics, times, values, receivedAt, timeReplaced, newest } = columns;
  const parameters = [
    plainArray(deviceUids),
    textArray(metrics),
    plainArray(times),
    sparse(values.map((value) => (typeof value === "number" ? value : undefined))),
    sparse(values.map((value) => (typeof value === "boolean" ? value : undefined))),
    sparseText(values.map((value) => (typeof value === "string" ? value : undefined))),
    sparse(receivedAt.map((at, row) => (at === times[row] ? undefined : at))),
    sparse(timeReplaced.map((replaced) => replaced || undefined)),
    sparse(newest.map((is) => (is ? undefined : false))),
    plainArray([...seen.keys()]),
    plainArray([...seen.values()]),
    sparse(follows),
    sparse(kept),
    ...marksParameters(marks, nowMs),
  ];
  return { name: "store-telemetry", text: STORE, parameters };
}

export function isJudgedElsewhere(error: unknown): boolean {
  return refusalCode(error) === JUDGED_ELSEWHERE;
}

const HOLD = `
SELECT FROM telemetry_latest l WHERE l.device_uid = ANY ($1::text::uuid[]) AND l.metric = ANY ($2::text::text[])
 ORDER BY l.device_uid, l.metric FOR UPDATE`;

/** Has whoever stores newer readings of the metrics of these devices wait for the end of the transaction. */
export async function holdNewest(tx: Tx, { deviceUids, metrics }: TelemetryColumns): Promise<void> {
  const sets = [plainArray([...new Set(deviceUids)]), textArray([...new Set(metrics)])];
  await runPrepared(tx, "hold-newest", HOLD, sets);
}

/** Keeps `messages` (oldest first, ids beside them), and of every device concerned the last {@link REJECTED_KEPT}. */
export function storeRejected(messages: readonly RejectedMessage[], ids: readonly string[]): Statement[] {
  const uids = plainArray(messages.map((message) => message.deviceUid));
  const parameters = [
    plainArray(ids),
    uids,
    plainArray(messages.map((message) => message.at)),
    textArray(messages.map((message) => message.topic)),
    textArray(messages.map((message) => message.reason)),
    bytesArray(messages.map((message) => message.payload)),
  ];
  return [
    { name: "store-rejected", text: INSERT_REJECTED, parameters },
    { name: "trim-rejected", text: TRIM_REJECTED, parameters: [uids] },
  ];
}

const INSERT_REJECTED = `
INSERT INTO rejected_messages (id, device_uid, at, topic, reason, payload)
SELECT id, device_uid, to_timestamp(at / 1e6), topic, reason, payload
  FROM unnest($1::text::uuid[], $2::text::uuid[], $3::text::float8[], $4::text::text[], $5::text::text[],
              $6::text::bytea[]) AS u (id, device_uid, at, topic, reason, payload)`;

const TRIM_REJECTED = `
DELETE FROM rejected_messages r
 WHERE r.device_uid IN (SELECT unnest($1::text::uuid[]))
   AND r.id NOT IN (SELECT k.id FROM rejected_messages k WHERE k.device_uid = r.device_uid
                     ORDER BY k.at DESC, k.id DESC LIMIT ${REJECTED_KEPT})`;

/** An array literal, empty when every element is NULL. */
function sparse(elements: readonly (number | boolean | undefined)[]): string {
  return elements.every((element) => element === undefined) ? "{}" : plainArray(elements);
}

function sparseText(elements: readonly (string | undefined)[]): string {
  return elements.every((element) => element === undefined) ? "{}" : textArray(elements);
}
