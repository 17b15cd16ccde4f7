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
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  if (Number.isInteger(number) && Math.abs(number) <= MOST_INDEX) return number;
  throw new ScimRefusal("invalidValue", `${name} is a whole number.`);
}

/** Reads the body of a search (RFC 7644 3.4.3). @throws ScimRefusal */
export function searchQuery(body: unknown): { asked: ListQuery; shown: Query } {
  const { attributes, excludedAttributes, ...query } = (body ?? {}) as Query;
  const list = (names: unknown) =>
    Array.isArray(names) ? names.filter((name) => typeof name === "string").join(",") : names;
  return {
    asked: listQuery(query),
    shown: { attributes: list(attributes), excludedAttributes: list(excludedAttributes) },
  };
}

export function listAnswer({ totalResults, resources }: Listed, { startIndex }: ListQuery, shown: Query): object {
  const Resources = resources.map(projection(shown));
  return { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: Resources.length, Resources };
}

/** Attributes that are always returned (RFC 7643 7). */
const ALWAYS: ReadonlySet<string> = new Set(["schemas", "id"]);

/**
 * Returns a function that returns the part of a resource that `attributes` or `excludedAttributes` choose. The lists
 * are read once: each may have as many names as fit a body.
 */
export function projection({ attributes, excludedAttributes }: Query): (resource: Resource) => object {
  const wanted = namesIn(attributes);
  const unwanted = namesIn(excludedAttributes);
  if (wanted.size === 0 && unwanted.size === 0) return (resource) => resource;
  return (resource) =>
    Object.fromEntries(
      Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
        if (ALWAYS.has(name)) return [[name, value]];
        const key = name.toLowerCase();
        if (wanted.size > 0) {
          const subs = wanted.get(key);
          if (subs?.has("")) return [[name, value]];
          return subs ? [[name, keep(value, (sub) => subs.has(sub))]] : [];
        }
        const subs = unwanted.get(key);
        if (subs?.has("")) return [];
        return [[name, subs ? keep(value, (sub) => !subs.has(sub)) : value]];
      }),
    );
}

/**
 * Returns the attributes that are named, each with its sub-attributes, or with "" if the whole is named. All are in
 * lower case and without their schema.
 */
function namesIn(names: unknown): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  if (typeof names !== "string") return found;
  for (const each of names.split(",")) {
    const path = each.trim().toLowerCase().replace(SCHEMA, "");
    if (path === "") continue;
    const dot = path.indexOf(".");
    const [name, sub] = dot < 0 ? [path, ""] : [path.slice(0, dot), path.slice(dot + 1)];
    const subs = found.get(name) ?? new Set();
    found.set(name, subs.add(sub));
  }
  return found;
}

const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:\w+:/;

function keep(value: unknown, isKept: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => keep(each, isKept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name.toLowerCase())));
}
