/** JSON merge patches (RFC 7396), in which `null` removes a field: no document that they make contains one. */

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Returns the object without fields that are `null`, at every level. */
export function withoutNull(value: Json): Json {
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([name, each]) => [name, isObject(each) ? withoutNull(each) : each]));
}

/** Returns the patch that turns `from` into `to`; `to` contains no `null`. */
export function mergePatch(from: Json, to: Json): Json {
  const removed = Object.keys(from).filter((name) => !(name in to));
  const set = Object.entries(to).map(([name, value]) => {
    const before = from[name];
    return [name, isObject(before) && isObject(value) ? mergePatch(before, value) : value];
  });
  return Object.fromEntries([...removed.map((name) => [name, null]), ...set]);
}
