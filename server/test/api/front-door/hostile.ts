/** Hostile values for requests, as JSON text or as part of an address. */

/** Values for any field. The field's schema decides which of them are valid. */
const VALUES = ["-1", "1e400", "null", "true", "[[[]]]", '{"$ne":1}', '""', JSON.stringify("x".repeat(5_000))];

/** Additional values for numeric fields. */
const NUMBERS = ["0", "-0", "1.5", "9007199254740993", "1e21", "-1e400", '"5"', "[5]", "NaN", "0x10", "007", "+1"];

/** Texts that pass the schema and may do harm behind it. They replace every text of a body at once. */
const TEXTS = ["'; DROP TABLE devices;--", "<script>alert(1)</script>", "=1+1", "\u202e\ufeff", "🦆".repeat(70), "  "];

/** Fields that no body has: mass assignment, prototype pollution, and characters that no text may contain. */
const FOREIGN: [name: string, value: string][] = [
  ["id", '"00000000-0000-7000-8000-000000000000"'],
  ["tenantId", '"00000000-0000-7000-8000-000000000000"'],
  ["createdBy", '"user:me"'],
  ["__proto__", '{"admin":true}'],
  ["\\u005f_proto__", '{"admin":true}'],
  ["constructor", '{"prototype":{"admin":true}}'],
  ["x", '{"y":["a\\u0000b"]}'],
  ["a\\u0000", "1"],
  ["x", '"\\ud83d"'],
  ["\\udc00", "1"],
  ["x", '{"toString":1,"length":-1}'],
  ["x".repeat(5_000), "1"],
];

/** Bodies that are malformed as a whole. */
export const BODIES: Record<string, string | Buffer> = {
  empty: "",
  blank: " \n",
  "an array": "[]",
  "a string": '"x"',
  null: "null",
  "a number": "1e999",
  "not UTF-8": Buffer.from('{"name":"\xff"}', "latin1"),
  "UTF-16": Buffer.from('{"name":"x"}', "utf16le"),
  "deep arrays": "[".repeat(50_000),
  "deep objects": `${'{"a":'.repeat(20)}1${"}".repeat(20)}`,
  "many fields": `{${Array.from({ length: 5_000 }, (_, i) => `"f${i}":1`).join()}}`,
  "more than is taken": JSON.stringify({ name: "x".repeat(300_000) }),
};

/**
 * Returns every variant of `body` with one defect: each field replaced by each value, missing, accompanied by unknown
 * fields, or duplicated.
 */
export function* spoiled(body: object): Generator<[what: string, text: string]> {
  const whole = JSON.stringify(body);
  for (const [name, place, value] of places(body)) {
    for (const other of typeof value === "number" ? [...VALUES, ...NUMBERS] : VALUES) {
      yield [`${name} = ${other.slice(0, 60)}`, replaced(body, place, other)];
    }
    yield [`without ${name}`, replaced(body, place, undefined)];
  }
  for (const text of TEXTS) {
    yield [`every text ${text}`, JSON.stringify(body, (_, value) => (typeof value === "string" ? text : value))];
  }
  for (const [name, value] of FOREIGN) yield [`with ${name}`, `{"${name}":${value},${whole.slice(1)}`];
  const first = Object.keys(body)[0]!;
  yield [`${first} twice`, `{"${first}":{},${whole.slice(1)}`];
  yield [`${first} twice, the other way round`, `${whole.slice(0, -1)},"${first}":{}}`];
  yield ["a BOM before it", `\ufeff${whole}`];
  yield ["text after it", `${whole} x`];
  yield ["cut off", whole.slice(0, -1)];
}

/** Ids and parameters, URL-encoded. */
export const PARAMETERS = ["", "-1", "9".repeat(300), "a".repeat(5_000), "'%20or%201=1--", "_%25", "__proto__"];

/** Encodings that cannot be decoded, decode to forbidden characters, or lead to another path. */
export const ENCODINGS = [
  "%00",
  "%ff",
  "%ZZ",
  "%ed%a0%80",
  "%",
  "..%2f..%2fetc%2fpasswd",
  "%F0%9F%A6%86",
  "a".repeat(250),
];

type Place = (string | number)[];

/** Returns every field of `value`, recursively; a list is represented by its first item. */
function* places(value: unknown, place: Place = []): Generator<[name: string, place: Place, value: unknown]> {
  if (typeof value !== "object" || value === null) return;
  const inside = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  for (const [key, inner] of inside) {
    const here = [...place, key];
    yield [here.join("."), here, inner];
    yield* places(inner, here);
  }
}

/** Returns `body` as JSON with `text` at `place`, or without that field. */
function replaced(body: object, place: Place, text: string | undefined): string {
  const copy = structuredClone(body);
  // biome-ignore lint/suspicious/noExplicitAny: walks arbitrary example bodies
  let at: any = copy;
  for (const key of place.slice(0, -1)) at = at[key];
  at[place.at(-1)!] = text === undefined ? undefined : "@here@";
  return JSON.stringify(copy).replace('"@here@"', () => text ?? "");
}
