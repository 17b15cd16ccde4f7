import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Chunk, encodeChunk } from "./chunk-codec.ts";
import { decodeColumn, encodeColumn } from "./column-codec.ts";

const same = (values: readonly number[]) => {
  const column = Float64Array.from(values);
  const decoded = decodeColumn(encodeColumn(column), column.length);
  assert.deepEqual([...decoded], [...column]);
  for (let at = 0; at < column.length; at++) assert.ok(Object.is(decoded[at], column[at]));
};

test("a column of any numbers survives encoding and decoding", () => {
  const decimals = fc.tuple(fc.integer(), fc.constantFrom(1, 10, 100, 1e3, 1e6, 1e9, 1e12)).map(([n, by]) => n / by);
  const whole = fc.maxSafeInteger();
  const odd = fc.constantFrom(
    0,
    -0,
    Number.NaN,
    Infinity,
    -Infinity,
    5e-324,
    1.7e308,
    -1.7e308,
    2 ** 53,
    2 ** 49,
    1e22,
  );
  for (const number of [fc.double(), decimals, whole, odd, fc.oneof(fc.double(), decimals, odd), fc.float()]) {
    fc.assert(fc.property(fc.array(number, { maxLength: 60 }), same));
    fc.assert(fc.property(number, fc.nat(40), (value, count) => same(Array(count).fill(value))));
  }
  fc.assert(
    fc.property(fc.integer(), fc.integer(), fc.nat(300), (from, step, count) => {
      same(Array.from({ length: count }, (_, at) => from + at * step));
    }),
  );
  same([]);
});

test("the rows of a chunk survive encoding and decoding, to the microsecond", () => {
  const hour = 1_790_000_000_000_000 - (1_790_000_000_000_000 % 3_600_000_000);
  const row = fc.record({
    time: fc.nat(3_599_999_999).map((us) => hour + us),
    received: fc.integer({ min: 0, max: 4_000_000_000_000_000 }),
    seq: fc.maxSafeInteger().map(Math.abs),
    number: fc.double({ noNaN: true }),
    flag: fc.nat(1),
    text: fc.string({ unit: "binary" }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 50 }), (rows) => {
      const column = (of: (each: (typeof rows)[number]) => number) => Float64Array.from(rows, of);
      const columns = {
        times: column(({ time }) => time),
        received: column(({ received }) => received),
        seqs: column(({ seq }) => seq),
        numbers: [column(({ number }) => number), column(({ flag }) => flag)],
        texts: [rows.map(({ text }) => text)],
      };
      const chunk = new Chunk(encodeChunk(columns, hour), hour);
      assert.deepEqual(chunk.texts(2), columns.texts[0]);
      assert.deepEqual(chunk.numbers(1), columns.numbers[1]);
      assert.deepEqual(chunk.numbers(0), columns.numbers[0]);
      assert.deepEqual(chunk.seqs, columns.seqs);
      assert.deepEqual(chunk.received, columns.received);
      assert.deepEqual(chunk.times, columns.times);
    }),
  );
});

test("an hour of one sensor reading per second takes under three bytes per reading, and under 0.05 if the value is constant", () => {
  const hour = 1_789_999_200_000_000;
  const bytesOf = (value: (at: number) => number) => {
    const times = Float64Array.from({ length: 3_600 }, (_, at) => hour + at * 1_000_000);
    const rows = { times, received: times, seqs: times.map((_, at) => at), texts: [] };
    return encodeChunk({ ...rows, numbers: [times.map((_, at) => value(at))] }, hour).length / 3_600;
  };
  // Deterministic: a sine with pseudo-noise in its digits.
  const noise = (at: number) => Math.round((21 + Math.sin(at / 600) + ((at * 7_919) % 101) / 100) * 100) / 100;
  assert.ok(bytesOf(noise) < 3, `${bytesOf(noise)}`);
  assert.ok(bytesOf(() => 21.5) < 0.05);
});

test("a chunk from a later version and a truncated chunk are refused", () => {
  const times = new Float64Array([1]);
  const data = encodeChunk({ times, received: times, seqs: times, numbers: [times], texts: [] }, 0);
  assert.throws(() => new Chunk(Buffer.concat([Buffer.from([2]), data.subarray(1)]), 0), /newer version/);
  assert.throws(() => new Chunk(data.subarray(0, data.length - 1), 0).numbers(0), /too early/);
});
