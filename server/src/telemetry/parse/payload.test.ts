import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/test-support/any-character.ts";
import { type Row, referenceParse } from "../test-support/reference-parser.ts";
import { type ParsedPayload, parsePayload } from "./payload.ts";

const NOW = 1_790_000_000_000;
const DAY = 86_400_000;

/** Returns the parser's result as rows, or the reason if there are none. */
function parse(payload: unknown, now = NOW): Row[] | string {
  const { readings, rejected } = parsed(payload, now);
  if (readings.length === 0) return rejected!.reason;
  return readings.flatMap(({ metrics, values, time, timeReplaced }) =>
    metrics.map((metric, index): Row => [metric, values[index], time ?? null, timeReplaced]),
  );
}

/** Returns the fields that are not stored, as `path: reason`. */
function problems(payload: unknown): string[] {
  return (parsed(payload).rejected?.problems ?? []).map(({ path, reason }) => `${path}: ${reason}`);
}

function parsed(payload: unknown, now = NOW): ParsedPayload {
  const bytes =
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  return parsePayload(bytes, now);
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
  assert.deepEqual(parse({ ts: NOW, values: { a: 1 }, more: 1 }), [["a", 1, NOW * 1000, false]]);
  assert.deepEqual(problems({ ts: NOW, values: { a: 1 }, more: 1 }), [
    '/more: "more" is beside "ts" and "values"; put it into "values"',
  ]);
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
  const mixed = [
    { ts: NOW, values: { a: 1 } },
    { a: 2 },
    { ts: "now", values: { a: 3 } },
    { ts: NOW, values: { a: 4 } },
  ];
  assert.deepEqual(
    (parse(mixed) as Row[]).map(([, value]) => value),
    [1, 4],
  );
  assert.deepEqual(problems(mixed), [
    '/1: record 2 has no "ts" and "values"',
    '/2/ts: "ts" is a string; whole milliseconds since 1970 are expected',
  ]);
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

test("nested objects become metrics with dots, up to depth 4", () => {
  const nested = { location: { lat: 1, lon: 2 }, a: { b: { c: { d: 3, e: { f: 4 } } } }, x: 5 };
  assert.deepEqual(
    (parse(nested) as Row[]).map(([metric, value]) => [metric, value]),
    [
      ["location.lat", 1],
      ["location.lon", 2],
      ["a.b.c.d", 3],
      ["x", 5],
    ],
  );
  assert.deepEqual(problems(nested), ['/a/b/c/e: "a.b.c.e" is an object; objects are flattened up to depth 4']);
  assert.deepEqual(problems({ "a.b": 1, a: { b: 2 } }), ['/a/b: there are several values of "a.b"']);
  assert.deepEqual(problems({ a: 1, b: {} }), ['/b: "b" is an empty object']);
  assert.equal(
    parse({ a: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`m${i}`, i])) }),
    "there are more than 200 metrics; a message may contain 200",
  );
});

test("the valid fields of a message are read, and the others reported with their paths", () => {
  const payload = { good: 1, bad: null, "sl/ash~": [1], "c\nd": 2, text: "ok" };
  assert.deepEqual(
    (parse(payload) as Row[]).map(([metric]) => metric),
    ["good", "text"],
  );
  assert.deepEqual(problems(payload), [
    '/bad: "bad" is null; a value is a number, true, false or a string',
    '/sl~1ash~0: "sl/ash~" is an array; a value is a number, true, false or a string',
    '/c\ufffdd: the metric name "c\\nd" contains a control character',
  ]);
});

test("the first 20 fields at fault are reported, the others counted, and after 1,000 the message is rejected", () => {
  const bad = (count: number) => [{ n: "a", v: 1 }, ...Array.from({ length: count }, () => 1)];
  const { readings, rejected } = parsed(bad(300));
  assert.deepEqual([readings.length, rejected?.problems?.length, rejected?.problemCount], [1, 20, 300]);
  assert.match(rejected!.reason, /^SenML record 2: is a number \(and 299 more\)$/);
  assert.equal(parsed(bad(1_000)).readings.length, 0);
});

test("a SenML record at fault is reported, and the records beside it are read", () => {
  const pack = [
    { bn: "p/", n: "a", v: 1 },
    { n: "b c", v: 2 },
    { bn: "q/", n: "d", vd: "aGk" },
    { n: "e", v: 3 },
  ];
  assert.deepEqual(
    (parse(pack) as Row[]).map(([metric]) => metric),
    ["p/a", "q/e"],
  );
  assert.deepEqual(
    problems(pack).map((problem) => problem.slice(0, 20)),
    ["/1: SenML record 2: ", "/2: SenML record 3: "],
  );
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
  ["an empty object as value", { a: {} }, /"a" is an empty object/],
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
      const { reason, problems } = parsed(JSON.stringify({ [name]: null })).rejected!;
      const texts = [reason, ...problems!.flatMap((problem) => [problem.path, problem.reason])];
      assert.ok(texts.every((text) => text.isWellFormed() && !/\p{Cc}/u.test(text)));
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
  const rows = typeof answer === "string" ? [] : answer;
  const reference = referenceParse(bytes, NOW);
  assert.deepEqual(rows, reference.rows);
  assert.equal(parsed(bytes).rejected !== undefined, reference.isIncomplete);
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
  {
    weight: 4,
    arbitrary: fc.constantFrom({ lat: 1, lon: 2 }, { a: { b: { c: { d: 1 }, e: true } } }, { "": 1, "x.y": null }),
  },
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
