import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Bucket, Buckets } from "./buckets.ts";
import { decodeMinutes, encodeMinutes } from "./minutes-codec.ts";

const HOUR = 1_790_000_000 * 1e6 - ((1_790_000_000 * 1e6) % 3600e6);

/** Returns the minutes of readings, which are in order of their times, in seconds within the hour. */
function minutesOf(readings: readonly (readonly [seconds: number, number: number])[]): readonly Bucket[] {
  const minutes = new Buckets(60e6);
  for (const [seconds, number] of readings) minutes.add(HOUR + seconds * 1e6, number);
  return minutes.all;
}

test("minutes of any numbers survive encoding and decoding", () => {
  const number = fc.oneof(
    fc.double({ noNaN: true }),
    fc.integer({ min: -999, max: 999 }).map((n) => n / 10),
    fc.constantFrom(-0, 0, 1e300, -1e300, 5e-324),
  );
  const reading = fc.tuple(
    fc.integer({ min: 0, max: 3_599_999 }).map((ms) => ms / 1e3),
    number,
  );
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1, maxLength: 300 }), (readings) => {
      const minutes = minutesOf(readings.toSorted(([a], [b]) => a - b));
      assert.deepEqual(decodeMinutes(encodeMinutes(minutes, HOUR), HOUR), minutes);
    }),
  );
});

test("an hour of a sensor takes about two bytes per minute at one reading each, under 200 at two, and under 700 beyond", () => {
  const sensor = (every: number) =>
    Array.from(
      { length: 3600 / every },
      (_, n) => [n * every, Math.round(200 + 30 * Math.sin(n / 50) + (n % 7)) / 10] as const,
    );
  const sizes = [60, 30, 10, 1].map((every) => encodeMinutes(minutesOf(sensor(every)), HOUR).length);
  for (const [at, most] of [120, 200, 700, 700].entries()) assert.ok(sizes[at]! < most, String(sizes));
});

test("minutes in a format from a later version are refused", () => {
  assert.throws(() => decodeMinutes(Uint8Array.of(9, 0), HOUR), /newer version/);
});
