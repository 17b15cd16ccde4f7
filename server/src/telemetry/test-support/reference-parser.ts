/**
 * A second, slow implementation of the payload rules that shares no code with the parser. Each rule is a predicate over
 * the whole document. Property tests compare the parser with it.
 */

/** A value: metric, value, microseconds (null for the server's clock), and whether the device's time was replaced. */
export type Row = [metric: string, value: unknown, time: number | null, replaced: boolean];

const MINUTE_US = 60_000_000;
const DAY_US = 86_400_000_000;

/** Returns the values of a payload in order, or null if the payload must be rejected. */
export function referenceParse(payload: Uint8Array, nowMs: number): Row[] | null {
  if (payload.byteLength < 1 || payload.byteLength > 131_072) return null;
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload));
  } catch {
    return null;
  }
  const rows = rowsOf(document, nowMs * 1000);
  if (rows === null || rows.length === 0) return null;
  if (new Set(rows.map(([metric]) => metric)).size > 200) return null;
  return rows.every(([metric, value]) => goodName(metric) && goodValue(value)) ? rows : null;
}

function rowsOf(document: unknown, now: number): Row[] | null {
  if (plain(document)) {
    return keys(document) === "ts,values" ? timed(document, now) : entries(document, null, false);
  }
  if (!Array.isArray(document) || document.length === 0) return null;
  const buffered = plain(document[0]) && Object.hasOwn(document[0], "values");
  if (!buffered) return senml(document, now);
  const parts = document.map((record) => (plain(record) && keys(record) === "ts,values" ? timed(record, now) : null));
  return parts.some((part) => part === null) ? null : (parts.flat() as Row[]);
}

function timed(record: Record<string, unknown>, now: number): Row[] | null {
  const { ts, values } = record;
  if (!Number.isInteger(ts) || !plain(values) || Object.keys(values).length === 0) return null;
  const [time, replaced] = replacedUnlessPlausible((ts as number) * 1000, now);
  return entries(values, time, replaced);
}

function senml(records: unknown[], now: number): Row[] | null {
  const rows: Row[] = [];
  const base: Record<string, unknown> = {};
  for (const record of records) {
    if (!plain(record) || !wellTyped(record)) return null;
    Object.assign(base, pick(record, ["bn", "bt", "bv"]));
    const own = Object.keys(pick(record, ["n", "t", "v", "vs", "vb", "vd", "s"]));
    if (own.length === 0) continue;
    const kinds = own.filter((key) => key.startsWith("v"));
    if (kinds.length !== 1 || kinds[0] === "vd") return null;
    const name = `${base.bn ?? ""}${record.n ?? ""}`;
    if (name.length > 128 || !/^[a-z0-9]/i.test(name) || /[^a-z0-9\-:./_]/i.test(name)) return null;
    const value = kinds[0] === "v" ? Number(record.v) + Number(base.bv ?? 0) : record[kinds[0]!];
    const seconds = Number(base.bt ?? 0) + Number(record.t ?? 0);
    const absolute = seconds >= 268_435_456 ? Math.round(seconds * 1e6) : now + Math.round(seconds * 1e6);
    rows.push([name, value, ...(seconds === 0 ? ([null, false] as const) : replacedUnlessPlausible(absolute, now))]);
  }
  return rows;
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
    if (!Object.hasOwn(types, key)) return !key.endsWith("_");
    if (key === "bver" && ![1, 2, 3, 4, 5, 6, 7, 8, 9, 10].includes(value as number)) return false;
    return typeof value === types[key] && (types[key] !== "number" || Math.abs(value as number) <= Number.MAX_VALUE);
  });
}

function replacedUnlessPlausible(time: number, now: number): [number | null, boolean] {
  const replaced = time > now + 10 * MINUTE_US || time < now - 30 * DAY_US;
  return [replaced ? null : time, replaced];
}

function entries(values: Record<string, unknown>, time: number | null, replaced: boolean): Row[] {
  return Object.entries(values).map(([metric, value]) => [metric, value, time, replaced]);
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
