import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/test-support/any-character.ts";
import { type Row, referenceParse } from "../test-support/reference-parser.ts";
import { parsePayload } from "./payload.ts";

const NOW = 1_790_000_000_000;
const DAY = 86_400_000;

/** Returns the parser's result as rows, or the reason for a rejection. */
function parse(payload: unknown, now = NOW): Row[] | string {
  const bytes =
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  const parsed = parsePayload(bytes, now);
  if ("reason" in parsed) return parsed.reason;
  return parsed.readings.flatMap(({ metrics, values, time, timeReplaced }) =>
    metrics.map((metric, index): Row => [metric, values[index], time ?? null, timeReplaced]),
  );
}

test("a bare object contains values at the server's time", () => {
  assert.deepEqual(parse({ temperature: 21.5, open: false, state: "ok" }), [
    ["temperature", 21.5, null, false],
    ["open", false, null, false],
    ["state", "ok", null, false],
  ]);
});

test("an object with exactly ts and values is a timed reading, and with any other key a bare object", () => {
  assert.deepEqual(parse({ ts: NOW - 5, values: { a: 1 } }), [["a", 1, (NOW - 5) * 1000, false]]);
  assert.deepEqual(parse({ ts: 5 }), [["ts", 5, null, false]]);
  assert.deepEqual(parse({ values: 5 }), [["values", 5, null, false]]);
  assert.match(String(parse({ ts: NOW, values: { a: 1 }, more: 1 })), /"values" is an object/);
});

test("an array of timed readings is buffered data and keeps its order", () => {
  assert.deepEqual(
    parse([
      { ts: NOW - 2, values: { a: 1 } },
      { values: { a: 2, b: 3 }, ts: NOW - 1 },
    ]),
    [
      ["a", 1, (NOW - 2) * 1000, false],
      ["a", 2, (NOW - 1) * 1000, false],
      ["b", 3, (NOW - 1) * 1000, false],
    ],
  );
  assert.match(
    String(parse([{ ts: NOW, values: { a: 1 } }, { a: 2 }])),
    /^record 2 does not contain exactly "ts" and "values"$/,
  );
});

test("a device time more than 10 minutes ahead or 30 days behind is replaced by the server's and flagged", () => {
  const at = (ts: number) => (parse({ ts, values: { a: 1 } }) as Row[])[0]!.slice(2);
  assert.deepEqual(at(NOW + 600_000), [(NOW + 600_000) * 1000, false]);
  assert.deepEqual(at(NOW + 600_001), [null, true]);
  assert.deepEqual(at(NOW - 30 * DAY), [(NOW - 30 * DAY) * 1000, false]);
  assert.deepEqual(at(NOW - 30 * DAY - 1), [null, true]);
  assert.deepEqual(at(0), [null, true]);
  assert.deepEqual(at(-1e300), [null, true]);
});

test("SenML base fields apply from their record on (RFC 8428 4.1)", () => {
  const seconds = NOW / 1000;
  const pack = [
    { bn: "urn:dev:ow:10e2:", bt: seconds, bu: "A", bver: 5, n: "voltage", u: "V", v: 120.1 },
    { n: "current", t: -5, v: 1.2 },
    { n: "open", t: -4.5, vb: true },
    { bn: "", bt: 0, bv: 100, n: "level", v: 2 },
    { n: "state", vs: "ok" },
  ];
  assert.deepEqual(parse(pack), [
    ["urn:dev:ow:10e2:voltage", 120.1, NOW * 1000, false],
    ["urn:dev:ow:10e2:current", 1.2, (NOW - 5000) * 1000, false],
    ["urn:dev:ow:10e2:open", true, (NOW - 4500) * 1000, false],
    ["level", 102, null, false],
    ["state", "ok", null, false],
  ]);
});

test("SenML times below 2^28 count from now, larger ones from 1970, to the microsecond", () => {
  const at = (t: number) => (parse([{ n: "a", t, v: 1 }]) as Row[])[0]!.slice(2);
  assert.deepEqual(at(-0.000_25), [NOW * 1000 - 250, false]);
  assert.deepEqual(at(60), [(NOW + 60_000) * 1000, false]);
  assert.deepEqual(at(2 ** 28 - 1), [null, true]);
  assert.deepEqual(at(2 ** 28), [null, true]);
  assert.deepEqual(at(1_789_999_999.123_456), [1_789_999_999_123_456, false]);
});

test("a SenML record that only sets base fields adds no value", () => {
  assert.deepEqual(
    parse([
      { bn: "pump:", bver: 10 },
      { n: "a", v: 1 },
    ]),
    [["pump:a", 1, null, false]],
  );
  assert.equal(parse([{ bn: "pump:" }]), "the SenML pack contains no values");
});

const refused: [name: string, payload: unknown, reason: RegExp][] = [
  ["nothing", "", /empty/],
  ["more than 128 KiB", Buffer.alloc(131_073, " "), /131073 bytes; at most 131072/],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
  ["a byte order mark", "\ufeff{}", /not valid JSON/],
  ["text that is not JSON", "{temperature: 21.5}", /not valid JSON/],
  ["two documents", '{"a":1}{"a":2}', /not valid JSON/],
  ["nesting without end", "[".repeat(131_072), /not valid JSON/],
  ["a number alone", "21.5", /is a number; an object or an array/],
  ["null", "null", /is null/],
  ["an empty object", {}, /no values/],
  ["an empty array", [], /array is empty/],
  ["timed readings without values", { ts: NOW, values: {} }, /no values/],
  ["ts as text", { ts: "now", values: { a: 1 } }, /"ts" is a string/],
  ["a fraction of a millisecond", { ts: 1.5, values: { a: 1 } }, /"ts" is a number; whole milliseconds/],
  ["a null value", { a: null }, /"a" is null; a value is a number/],
  ["an object as value", { a: { b: 1 } }, /"a" is an object/],
  ["an array as value", { a: [1] }, /"a" is an array/],
  ["a number beyond a double", '{"a":1e400}', /"a" is a number too large/],
  ["a text of more than 1 KiB", { a: "é".repeat(513) }, /longer than 1024 bytes/],
  ["a NUL in a text", { a: "x\0" }, /NUL/],
  ["half a surrogate pair in a text", '{"a":"\\ud800"}', /not valid Unicode/],
  ["a metric without a name", { "": 1 }, /needs a name/],
  ["a control character in a name", { "a\nb": 1 }, /"a\\nb" contains a control character/],
  ["DEL in a name", { "a\u007f": 1 }, /"a\\u007f" contains a control character/],
  ["half a surrogate pair in a name", '{"\\udc00":1}', /"\\udc00" is not valid Unicode/],
  ["a name of more than 128 bytes", { ["é".repeat(65)]: 1 }, /longer than 128 bytes/],
  ["__proto__", '{"__proto__": 1}', /cannot be named "__proto__"/],
  ["201 metrics", Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`m${i}`, i])), /201 metrics/],
  [
    "201 metrics over several records",
    Array.from({ length: 201 }, (_, i) => ({ ts: NOW, values: { [`m${i}`]: 1 } })),
    /201 metrics/,
  ],
  ["201 SenML metrics", Array.from({ length: 201 }, (_, i) => ({ n: `m${i}`, v: 1 })), /more than 200 metrics/],
  [
    "1,001 readings",
    Array.from({ length: 1_001 }, (_, i) => ({ ts: NOW - i, values: { a: 1 } })),
    /^there are 1001 readings; a message may contain 1000$/,
  ],
  [
    "SenML of 1,001 times",
    Array.from({ length: 1_001 }, (_, i) => ({ n: "a", t: -i - 1, v: 1 })),
    /record 1001: there are more than 1000 readings; a message may contain 1000$/,
  ],
  ["a SenML version to come", [{ bver: 11, n: "a", v: 1 }], /record 1: version 11 is not known/],
  ["a SenML field that must be understood", [{ n: "a", v: 1, x_: 1 }], /"x_" must be understood/],
  ["a SenML name with a space", [{ n: "a b", v: 1 }], /"a b" is not 1 to 128/],
  ["a SenML record of two values", [{ n: "a", v: 1, vb: true }], /more than one value/],
  ["a SenML record of none", [{ n: "a" }], /there is no value/],
  ["SenML data", [{ n: "a", vd: "aGk" }], /data values/],
  ["a SenML sum alone", [{ n: "a", s: 1 }], /a sum without a value/],
  ["a SenML value of the wrong type", [{ n: "a", v: "1" }], /"v" is a string; a finite number/],
  ["a SenML sum of infinities", '[{"bv":1.7e308,"n":"a","v":1.7e308}]', /too large/],
  ["an array of numbers", [1, 2], /SenML record 1: is a number/],
];

for (const [name, payload, reason] of refused) {
  test(`refuses ${name} with a reason`, () => assert.match(String(parse(payload)), reason));
}

test("a rejection reason can be stored whatever name the device gave its metric", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (name) => {
      const reason = parse(JSON.stringify({ [name]: null }));
      assert.equal(typeof reason, "string");
      assert.ok((reason as string).isWellFormed() && !/\p{Cc}/u.test(reason as string));
    }),
  );
});

test("any bytes are parsed or refused like in the reference parser, and never throw", () => {
  fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.json().map(bytesOf), mutated()), agrees), {
    numRuns: 3_000,
  });
});

test("documents of the four formats are parsed like in the reference parser", () => {
  let read = 0;
  const documents = fc.oneof(bare, timed, fc.array(timed, { maxLength: 4 }), senml).map(bytesOf);
  fc.assert(
    fc.property(documents, (bytes) => {
      agrees(bytes);
      if (typeof parse(bytes) !== "string") read++;
    }),
    { numRuns: 6_000 },
  );
  assert.ok(read > 1_000, `only ${read} were valid: too few for the comparison`);
});

function agrees(bytes: Uint8Array): void {
  const answer = parse(bytes);
  assert.deepEqual(typeof answer === "string" ? null : answer, referenceParse(bytes, NOW));
}

function bytesOf(document: unknown): Uint8Array {
  return Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
}

const name = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom("a", "b", "temp", "Druck/µ", "pump:1", "ts", "values", "constructor") },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 130 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "__proto__", "a\0", "é".repeat(64), "x".repeat(129)) },
);
const value = fc.oneof(
  { weight: 40, arbitrary: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.string()) },
  { weight: 1, arbitrary: fc.constantFrom(null, [], {}, "\ud800", "x\0", "é".repeat(512), "é".repeat(513)) },
);
const values = fc
  .array(fc.tuple(name, value), { minLength: 1, maxLength: 5 })
  .map((pairs) => Object.fromEntries(pairs));
const bare = values;
const ts = fc.oneof(
  { weight: 15, arbitrary: fc.integer({ min: NOW - 31 * DAY, max: NOW + 1_200_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, 1e300, NOW + 600_001, NOW - 30 * DAY - 1, 1.5, "1", null) },
);
const timed = fc.record({ ts, values, extra: fc.constant(1) }, { requiredKeys: ["ts", "values"] });
const number = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const seconds = fc.oneof(
  fc.integer({ min: -40 * 86_400, max: 700 }),
  fc.double({ min: NOW / 1000 - 40 * 86_400, max: NOW / 1000 + 700, noNaN: true }),
  fc.constantFrom(0, 2 ** 28, 2 ** 28 - 1),
);
const senmlValue = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.oneof(fc.record({ v: number }), fc.record({ vs: fc.string() }), fc.record({ vb: fc.boolean() })),
  },
  {
    weight: 1,
    arbitrary: fc.record({ v: number, vb: fc.boolean(), vd: fc.string(), s: number }, { requiredKeys: [] }),
  },
);
const senmlRecord = fc
  .tuple(
    fc.record(
      {
        bn: fc.constantFrom("urn:", "", "p", "q", "r/", "x y"),
        bt: seconds,
        bv: number,
        bver: fc.constantFrom(1, 2, 5, 5, 9, 10, 10, 10, 10, 11, 0, 2.5),
        n: fc.oneof({ weight: 30, arbitrary: fc.constantFrom("a", "b", "c:1", "T.x") }, { weight: 1, arbitrary: name }),
        t: seconds,
        u: fc.constantFrom("V", "Cel"),
        ut: number,
        zz: value,
      },
      { requiredKeys: ["n"] },
    ),
    senmlValue,
    fc.option(fc.constantFrom({ must_: 1 }, { n: 5 }, { vb: 1 }), { freq: 20, nil: {} }),
  )
  .map((parts) => Object.assign({}, ...parts));
const senml = fc.array(senmlRecord, { minLength: 1, maxLength: 5 });

/** Generates a valid document with one byte changed, dropped or doubled. */
function mutated() {
  return fc
    .tuple(fc.oneof(timed, senml, bare).map(bytesOf), fc.nat(), fc.nat(255), fc.constantFrom("set", "drop", "double"))
    .map(([bytes, where, byte, how]) => {
      const at = where % bytes.length;
      if (how === "set") return Buffer.from(bytes.with(at, byte));
      return Buffer.concat([
        bytes.subarray(0, how === "drop" ? at : at + 1),
        bytes.subarray(how === "drop" ? at + 1 : at),
      ]);
    });
}
