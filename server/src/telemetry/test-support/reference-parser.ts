/**
 * A second, slow implementation of the payload rules that shares no code with the parser. Each rule is a predicate over
 * the whole document. Property tests compare the parser with it.
 */

/** A value: metric, value, microseconds (null for the server's clock), and whether the device's time was replaced. */
export type Row = [metric: string, value: unknown, time: number | null, replaced: boolean];

const MINUTE_US = 60_000_000;
const DAY_US = 86_400_000_000;

/** The values that are stored, and whether something of the payload is not among them. */
export interface Reference {
  rows: Row[];
  isIncomplete: boolean;
}

const NOTHING: Reference = { rows: [], isIncomplete: true };

/** Returns the values of a payload in order; none if nothing of it is stored. */
export function referenceParse(payload: Uint8Array, nowMs: number): Reference {
  if (payload.byteLength < 1 || payload.byteLength > 131_072) return NOTHING;
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload));
  } catch {
    return NOTHING;
  }
  const candidates = rowsOf(document, nowMs * 1000);
  if (candidates === null) return NOTHING;
  const rows = candidates.filter((row): row is Row => row !== null && goodName(row[0]) && goodValue(row[1]));
  if (rows.length === 0 || new Set(rows.map(([metric]) => metric)).size > 200) return NOTHING;
  return { rows, isIncomplete: rows.length < candidates.length };
}

/** A value, or null for one that cannot be stored. */
type Candidates = (Row | null)[];

/** Returns null for a document that is rejected whole. */
function rowsOf(document: unknown, now: number): Candidates | null {
  if (plain(document)) {
    const isTimed =
      Object.hasOwn(document, "ts") &&
      Object.hasOwn(document, "values") &&
      (plain(document.values) || keys(document) === "ts,values");
    return isTimed ? timed(document, now) : entries(document, null, false);
  }
  if (!Array.isArray(document) || document.length === 0) return null;
  const buffered = plain(document[0]) && Object.hasOwn(document[0], "values");
  if (!buffered) return senml(document, now);
  return document.flatMap((record) => {
    const isTimed = plain(record) && Object.hasOwn(record, "ts") && Object.hasOwn(record, "values");
    return isTimed ? timed(record, now) : [null];
  });
}

function timed(record: Record<string, unknown>, now: number): Candidates {
  const { ts, values } = record;
  const beside = Object.keys(record).filter((key) => key !== "ts" && key !== "values");
  const others = beside.map(() => null);
  if (!Number.isInteger(ts) || !plain(values) || Object.keys(values).length === 0) return [null, ...others];
  const [time, replaced] = replacedUnlessPlausible((ts as number) * 1000, now);
  return [...entries(values, time, replaced), ...others];
}

function senml(records: unknown[], now: number): Candidates | null {
  const rows: Candidates = [];
  const base: Record<string, unknown> = {};
  for (const record of records) {
    if (!plain(record)) {
      rows.push(null);
      continue;
    }
    if (!understood(record) || !wellTyped(pick(record, ["bn", "bu", "bt", "bv", "bs", "bver"]))) return null;
    Object.assign(base, pick(record, ["bn", "bt", "bv"]));
    const own = Object.keys(pick(record, ["n", "t", "v", "vs", "vb", "vd", "s"]));
    if (own.length > 0) rows.push(wellTyped(record) ? senmlRow(record, own, base, now) : null);
  }
  return rows;
}

function understood(record: Record<string, unknown>): boolean {
  return Object.keys(record).every((key) => !key.endsWith("_"));
}

function senmlRow(
  record: Record<string, unknown>,
  own: string[],
  base: Record<string, unknown>,
  now: number,
): Row | null {
  const kinds = own.filter((key) => key.startsWith("v"));
  if (kinds.length !== 1 || kinds[0] === "vd") return null;
  const name = `${base.bn ?? ""}${record.n ?? ""}`;
  if (name.length > 128 || !/^[a-z0-9]/i.test(name) || /[^a-z0-9\-:./_]/i.test(name)) return null;
  const value = kinds[0] === "v" ? Number(record.v) + Number(base.bv ?? 0) : record[kinds[0]!];
  const seconds = Number(base.bt ?? 0) + Number(record.t ?? 0);
  const absolute = seconds >= 268_435_456 ? Math.round(seconds * 1e6) : now + Math.round(seconds * 1e6);
  return [name, value, ...(seconds === 0 ? ([null, false] as const) : replacedUnlessPlausible(absolute, now))];
}

function wellTyped(record: Record<string, unknown>): boolean {
  const types: Record<string, string> = {
    bn: "string",
    bu: "string",
    n: "string",
    u: "string",
    vs: "string",
    vd: "string",
  };
  for (const key of ["bt", "bv", "bs", "bver", "t", "ut", "v", "s"]) types[key] = "number";
  types.vb = "boolean";
  return Object.entries(record).every(([key, value]) => {
    if (!Object.hasOwn(types, key)) return true;
    if (key === "bver" && ![1, 2, 3, 4, 5, 6, 7, 8, 9, 10].includes(value as number)) return false;
    return typeof value === types[key] && (types[key] !== "number" || Math.abs(value as number) <= Number.MAX_VALUE);
  });
}

function replacedUnlessPlausible(time: number, now: number): [number | null, boolean] {
  const replaced = time > now + 10 * MINUTE_US || time < now - 30 * DAY_US;
  return [replaced ? null : time, replaced];
}

function entries(values: Record<string, unknown>, time: number | null, replaced: boolean): Candidates {
  if (Object.keys(values).length === 0) return [null];
  const names = new Set<string>();
  return leaves(values, [], 1).map(([path, value]) => {
    const name = path.join(".");
    if (path.at(-1) === "" || names.has(name) || !goodName(name) || !goodValue(value)) return null;
    names.add(name);
    return [name, value, time, replaced];
  });
}

/** Returns the fields of an object that are not objects to flatten, with the keys that lead to them. */
function leaves(values: Record<string, unknown>, above: string[], depth: number): [path: string[], value: unknown][] {
  return Object.entries(values).flatMap(([key, value]) =>
    plain(value) && depth < 4 && Object.keys(value).length > 0
      ? leaves(value, [...above, key], depth + 1)
      : [[[...above, key], value] as [string[], unknown]],
  );
}

function goodName(name: string): boolean {
  const size = new TextEncoder().encode(name).length;
  const codes = [...name].map((character) => character.codePointAt(0)!);
  const awkward = codes.some((code) => code < 32 || (code > 126 && code < 160) || (code >= 0xd800 && code <= 0xdfff));
  return size > 0 && size <= 128 && !awkward && name !== "__proto__";
}

function goodValue(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_VALUE;
  if (typeof value !== "string") return false;
  const codes = [...value].map((character) => character.codePointAt(0)!);
  return (
    new TextEncoder().encode(value).length <= 1024 &&
    codes.every((code) => code !== 0 && (code < 0xd800 || code > 0xdfff))
  );
}

function plain(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function keys(object: Record<string, unknown>): string {
  return Object.keys(object).sort().join(",");
}

function pick(object: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => names.includes(key)));
}
