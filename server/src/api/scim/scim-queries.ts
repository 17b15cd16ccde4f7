import { records } from "../../lib/limits/records.ts";
import { LIST_SCHEMA, type Listed, type ListQuery, parseFilter, type Resource, ScimRefusal } from "../../scim/scim.ts";

/** The query of a request (RFC 7644 3.4.2, 3.9); every value is text, or absent. */
export type Query = Readonly<Record<string, unknown>>;

const MOST_RESULTS = records.scimResults.value;

/** Returns the page that a query names; a count below 0 is 0, an index below 1 is 1. @throws ScimRefusal */
export function listQuery({ filter, startIndex, count }: Query): ListQuery {
  return {
    ...(typeof filter === "string" && { filter: parseFilter(filter) }),
    startIndex: Math.max(1, wholeNumber("startIndex", startIndex, 1)),
    count: Math.min(MOST_RESULTS, Math.max(0, wholeNumber("count", count, MOST_RESULTS))),
  };
}

const MOST_INDEX = 1_000_000_000;

function wholeNumber(name: string, value: unknown, otherwise: number): number {
  if (value === undefined || value === null) return otherwise;
  const number = Number(value);
  if (Number.isInteger(number) && Math.abs(number) <= MOST_INDEX) return number;
  throw new ScimRefusal("invalidValue", `${name} is a whole number.`);
}

/** Reads the body of a search (RFC 7644 3.4.3). @throws ScimRefusal */
export function searchQuery(body: unknown): { asked: ListQuery; shown: Query } {
  const { attributes, excludedAttributes, ...query } = (body ?? {}) as Query;
  const list = (names: unknown) => (Array.isArray(names) ? names.join(",") : names);
  return {
    asked: listQuery(query),
    shown: { attributes: list(attributes), excludedAttributes: list(excludedAttributes) },
  };
}

export function listAnswer({ totalResults, resources }: Listed, { startIndex }: ListQuery, shown: Query): object {
  const Resources = resources.map((each) => projected(each, shown));
  return { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: Resources.length, Resources };
}

/** Attributes that are always returned (RFC 7643 7). */
const ALWAYS: ReadonlySet<string> = new Set(["schemas", "id"]);

/** Returns the part of a resource that `attributes` or `excludedAttributes` choose. */
export function projected(resource: Resource, { attributes, excludedAttributes }: Query): object {
  const wanted = namesIn(attributes);
  const unwanted = namesIn(excludedAttributes);
  if (wanted.length === 0 && unwanted.length === 0) return resource;
  const shown = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    if (ALWAYS.has(name)) return [[name, value]];
    const key = name.toLowerCase();
    if (wanted.length > 0) {
      if (wanted.includes(key)) return [[name, value]];
      const subs = subsOf(wanted, key);
      return subs.length > 0 ? [[name, keep(value, (sub) => subs.includes(sub))]] : [];
    }
    if (unwanted.includes(key)) return [];
    const subs = subsOf(unwanted, key);
    return [[name, subs.length > 0 ? keep(value, (sub) => !subs.includes(sub)) : value]];
  });
  return Object.fromEntries(shown);
}

/** Returns the names in lower case, without their schema. */
function namesIn(names: unknown): string[] {
  if (typeof names !== "string") return [];
  const each = names.split(",").map((name) => name.trim().toLowerCase());
  return each
    .map((name) => name.replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/, ""))
    .filter((name) => name !== "");
}

function subsOf(names: readonly string[], attribute: string): string[] {
  return names.filter((name) => name.startsWith(`${attribute}.`)).map((name) => name.slice(attribute.length + 1));
}

function keep(value: unknown, isKept: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => keep(each, isKept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name.toLowerCase())));
}
