import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import { HOUR } from "../../lib/clock.ts";

/** One hour of one device. */
export interface DeviceHour {
  deviceUid: string;
  hour: Date;
}

/** A span within one of several hours, in microseconds since 1970. */
export interface HourSpan {
  /** The index of the hour. */
  which: number;
  from: number;
  to: number;
}

export const HOUR_US = HOUR * 1_000;

/** Returns one span per hour, covering all of it. */
export function spansOf(hours: readonly DeviceHour[]): HourSpan[] {
  return hours.map(({ hour }, which) => {
    const from = hour.getTime() * 1_000;
    return { which, from, to: from + HOUR_US };
  });
}

/**
 * Returns spans as rows of `c` (device_uid, from, to, which), and a condition on a time that also prunes partitions.
 */
export function given(hours: readonly DeviceHour[], spans: readonly HourSpan[]) {
  const first = new Date(Math.floor(Math.min(...spans.map(({ from }) => from)) / 1_000));
  const past = new Date(Math.ceil(Math.max(...spans.map(({ to }) => to)) / 1_000));
  const uids = plainArray(spans.map(({ which }) => hours[which]!.deviceUid));
  const numbers = (of: (span: HourSpan) => number) => sql`${plainArray(spans.map(of))}::text`;
  return {
    rows: sql`(SELECT u.device_uid, to_timestamp(u.first / 1e6) AS "from", to_timestamp(u.past / 1e6) AS "to", u.which
      FROM unnest(${uids}::text::uuid[], ${numbers(({ from }) => from)}::float8[], ${numbers(({ to }) => to)}::float8[],
                  ${numbers(({ which }) => which)}::integer[]) AS u (device_uid, first, past, which)) AS c`,
    within: (time: RawBuilder<unknown>) => sql`${time} >= c."from" AND ${time} < c."to"
      AND ${time} >= ${first}::timestamptz AND ${time} < ${past}::timestamptz`,
  };
}

/** Converts a database time to microseconds since 1970. */
export const micros = (time: RawBuilder<unknown>) => sql`(extract(epoch FROM ${time}) * 1000000)::float8`;
