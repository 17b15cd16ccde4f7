import { sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import { float8Array } from "../../db/binary-array.ts";
import type { Tx } from "../../db/database.ts";
import { HOUR } from "../../lib/clock.ts";
import { createPauses } from "../../lib/pauses.ts";
import { deleteChunks, storeChunks, storeMinutes } from "../chunks/chunk-store.ts";
import { type DeviceHour, HOUR_US } from "../chunks/device-hours-store.ts";
import { type HourSlice, sizeOf, slicesOf } from "../chunks/hour-slices.ts";
import type { Bucket } from "./buckets.ts";
import type { DirtyHour } from "./dirty-hour-store.ts";
import { type Aggregates, HourAggregates, type SliceChunk } from "./hour-aggregates.ts";
import type { LargeHour } from "./large-hour-store.ts";
import { loadMinutes } from "./stored-minutes-store.ts";

/**
 * Some 9,000 readings of one metric, which take some 0.05 s to compute. Also bounds the memory for twenty hours at
 * once.
 */
const SLICE_BYTES = 500_000;

/** The number of slices per step of a large hour. They take some 0.1 s. */
const SLICES_OF_STEP = 2;
/**
 * The total size of small hours computed together, in slices: twenty hours of one reading per second, which take some
 * 0.1 s.
 */
const SLICES_OF_HOURS = 8;

/**
 * Recomputes the hours of `dirty` that are a single slice, and writes their messages into chunks together with their
 * minutes.
 *
 * @param sliceBytes the approximate size of an hour to read at once
 * @returns the computed hours, and the number of hours tried; more would be too much for one transaction
 */
export async function recomputeHours(
  tx: Tx,
  dirty: readonly DirtyHour[],
  now: Date,
  sliceBytes = SLICE_BYTES,
): Promise<{ computed: DirtyHour[]; tried: number }> {
  if (dirty.length === 0) return { computed: [], tried: 0 };
  const hours = dirty.map(deviceHour);
  const found = new HourAggregates();
  let tried: HourSlice[] = [];
  let computed: number[] = [];
  for await (const slices of slicesOf(tx, hours, sliceBytes)) {
    tried = slices.slice(0, howMany(slices, SLICES_OF_HOURS * sliceBytes));
    const whole = tried.filter(({ from, to }) => to - from === HOUR_US);
    computed = whole.map(({ which }) => which);
    await storeSlices(tx, hours, whole, found);
    break;
  }
  await storeHours(tx, { hours, computed }, found, now);
  return { computed: computed.map((which) => dirty[which]!), tried: tried.length };
}

/** @returns the number of leading slices that take about `bytes` together, at least one */
function howMany(slices: readonly HourSlice[], bytes: number): number {
  let sum = 0;
  const past = slices.findIndex((slice, at) => {
    sum += sizeOf(slice);
    return at > 0 && sum > bytes;
  });
  return past === -1 ? slices.length : past;
}

/**
 * Recomputes the next slices of an hour, in order. The last ones complete the hour, from the minutes stored with all of
 * its chunks.
 *
 * @returns the time up to which it is done, in microseconds since 1970, or `undefined` if it is complete
 */
export async function recomputeNextSlices(
  tx: Tx,
  dirty: LargeHour,
  now: Date,
  sliceBytes = SLICE_BYTES,
): Promise<number | undefined> {
  const hours = [deviceHour(dirty)];
  const end = dirty.hour.getTime() * 1_000 + HOUR_US;
  const found = new HourAggregates();
  let slices = 0;
  for await (const [slice] of slicesOf(tx, hours, sliceBytes, [{ which: 0, from: dirty.doneTo, to: end }])) {
    await storeSlices(tx, hours, [slice!], found);
    if (++slices < SLICES_OF_STEP || slice!.to === end) continue;
    await storeRest(tx, slice!);
    return slice!.to;
  }
  const all = new HourAggregates();
  for (const stored of await loadMinutes(tx, hours[0]!)) all.addStored(stored);
  await storeHours(tx, { hours, computed: [0] }, all, now);
  return undefined;
}

/** Stores the rows for the next step unchanged. */
async function storeRest(tx: Tx, { to, rest }: HourSlice): Promise<void> {
  const some = rest.filter(({ rows }) => rows.times.length > 0);
  await storeChunks(
    tx,
    some.map((shape) => ({ ...shape, from: to, minutes: shape.metrics.map(() => undefined) })),
  );
}

const deviceHour = ({ device_uid, hour }: DirtyHour): DeviceHour => ({ deviceUid: device_uid, hour });

async function storeSlices(
  tx: Tx,
  hours: readonly DeviceHour[],
  slices: readonly HourSlice[],
  found: HourAggregates,
): Promise<void> {
  await deleteChunks(
    tx,
    hours,
    slices.filter(({ isCut }) => isCut),
  );
  const pause = createPauses();
  const chunks: SliceChunk[] = [];
  for (const slice of slices) {
    chunks.push(...found.add(slice));
    await pause();
  }
  await storeChunks(
    tx,
    chunks.filter(({ isChanged }) => isChanged),
  );
  await storeMinutes(
    tx,
    chunks.filter(({ isChanged }) => !isChanged),
  );
}

/** @param computed the indexes of the hours in `found` */
async function storeHours(
  tx: Tx,
  { hours, computed }: { hours: readonly DeviceHour[]; computed: readonly number[] },
  found: HourAggregates,
  now: Date,
): Promise<void> {
  if (computed.length === 0) return;
  await deleteHours(
    tx,
    computed.map((which) => hours[which]!),
    now,
  );
  await insertHours(tx, hours, found.all, now);
}

/**
 * Restricts changes to hours whose readings still exist. Hours whose readings may have been dropped stay as they are.
 */
const readingsExist = (now: Date) => sql`r.bucket >= ${now}::timestamptz - r.retention_days * interval '1 day'`;

async function deleteHours(tx: Tx, hours: readonly DeviceHour[], now: Date): Promise<void> {
  const times = hours.map(({ hour }) => hour.getTime());
  await sql`
    DELETE FROM telemetry_hour r
     USING unnest(${plainArray(hours.map(({ deviceUid }) => deviceUid))}::text::uuid[],
                  ${plainArray(hours.map(({ hour }) => hour.toISOString()))}::text::timestamptz[]) AS c (device_uid, hour)
     WHERE r.device_uid = c.device_uid AND r.bucket >= c.hour AND r.bucket < c.hour + interval '1 hour'
       AND r.bucket >= ${new Date(Math.min(...times))}::timestamptz AND r.bucket < ${new Date(Math.max(...times) + HOUR)}::timestamptz
       AND ${readingsExist(now)}`.execute(tx);
}

async function insertHours(
  tx: Tx,
  hours: readonly DeviceHour[],
  aggregates: readonly Aggregates[],
  now: Date,
): Promise<void> {
  const rows = aggregates.flatMap((of) => of.hours.map((bucket) => ({ of, bucket })));
  if (rows.length === 0) return;
  const numbers = (of: (bucket: Bucket) => number) => float8Array(rows.map(({ bucket }) => of(bucket)));
  await sql`
    INSERT INTO telemetry_hour (device_uid, metric, bucket, lowest, highest, total, readings, retention_days)
    SELECT r.device_uid, r.metric, r.bucket, r.lowest, r.highest, r.total, r.readings, r.retention_days FROM (
      SELECT u.device_uid, u.metric, to_timestamp(u.seconds) AS bucket, u.lowest, u.highest, u.total, u.readings, u.retention_days
        FROM unnest(${plainArray(rows.map(({ of }) => hours[of.which]!.deviceUid))}::text::uuid[],
                    ${textArray(rows.map(({ of }) => of.metric))}::text::text[], ${numbers(({ at }) => at / 1e6)}::float8[],
                    ${numbers(({ lowest }) => lowest)}::float8[], ${numbers(({ highest }) => highest)}::float8[],
                    ${numbers(({ total }) => total)}::float8[], ${numbers(({ readings }) => readings)}::float8[],
                    ${plainArray(rows.map(({ of }) => of.retentionDays))}::text::smallint[])
             AS u (device_uid, metric, seconds, lowest, highest, total, readings, retention_days)) r
     WHERE ${readingsExist(now)}`.execute(tx);
}
