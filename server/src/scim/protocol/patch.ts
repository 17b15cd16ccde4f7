import { isDeepStrictEqual } from "node:util";
import { type Attribute, attributeNamed, type Document, isUnassigned, readValue } from "./attributes.ts";
import { type Filter, parseFilter } from "./filter.ts";
import { ScimRefusal } from "./refusal.ts";

/** The most operations of one request; providers send the changes of one resource. */
const MOST_OPERATIONS = 1_000;
/** The most values that all operations of a request look at: about 0.2 s of work. */
const MOST_LOOKED_AT = 200_000;

/** `attribute`, `attribute.sub`, `attribute[filter]` or `attribute[filter].sub`, after an optional schema. */
const PATH = /^(?:urn:ietf:params:scim:schemas:core:2\.0:\w+:)?([\w$-]+)(?:\[([^\]]*)\])?(?:\.([\w$-]+))?$/i;

interface Target {
  attribute: Attribute;
  filter?: Filter;
  sub?: Attribute;
}

type Operation = "add" | "replace" | "remove";

/**
 * Applies a PATCH to a document (RFC 7644 3.5.2). Providers that write `Add`, or a path as the name of a field, are
 * understood.
 *
 * @throws ScimRefusal invalidSyntax, invalidPath, invalidValue, noTarget, mutability, tooMany
 */
export function applyPatch(
  attributes: readonly Attribute[],
  document: Document,
  body: unknown,
  mostValues: number,
): Document {
  const patched = structuredClone(document);
  let lookedAt = 0;
  const apply = (target: Target, op: Operation, value: unknown) => {
    if (target.attribute.multiValued) lookedAt += valuesOf(patched, target.attribute).length;
    if (lookedAt > MOST_LOOKED_AT)
      throw new ScimRefusal("tooMany", `Change ${target.attribute.name} with fewer operations, each with many values.`);
    applyAt(patched, target, op, value, mostValues);
  };
  for (const { op, path, value } of operationsOf(body)) {
    if (path !== undefined) apply(targetOf(attributes, path), op, value);
    else if (op === "remove") throw new ScimRefusal("noTarget", "A removal needs a path.");
    else
      for (const [name, each] of Object.entries(attributesIn(value))) {
        if (!known(attributes, name)) continue;
        const target = targetOf(attributes, name);
        if (target.attribute.mutability !== "readOnly") apply(target, op, each);
      }
  }
  return patched;
}

function operationsOf(body: unknown): { op: Operation; path?: string; value: unknown }[] {
  const entry = Object.entries((body ?? {}) as object).find(([name]) => name.toLowerCase() === "operations");
  const given: unknown = entry?.[1];
  if (!Array.isArray(given) || given.length > MOST_OPERATIONS)
    throw new ScimRefusal("invalidSyntax", `A PATCH has Operations, at most ${MOST_OPERATIONS}.`);
  return given.map((each: { op?: unknown; path?: unknown; value?: unknown } | null) => {
    const op = typeof each?.op === "string" ? each.op.toLowerCase() : undefined;
    if (op !== "add" && op !== "replace" && op !== "remove")
      throw new ScimRefusal("invalidSyntax", "op is add, replace or remove.");
    return { op, value: each?.value, ...(typeof each?.path === "string" && { path: each.path }) };
  });
}

/** Returns the attributes that an operation without a path changes. @throws ScimRefusal invalidValue */
function attributesIn(value: unknown): object {
  if (typeof (value ?? {}) !== "object" || Array.isArray(value))
    throw new ScimRefusal("invalidValue", "Without a path, the value is an object of attributes.");
  return value ?? {};
}

function known(attributes: readonly Attribute[], name: string): boolean {
  const [, attribute] = PATH.exec(name) ?? [];
  return attribute !== undefined && attributeNamed(attributes, attribute) !== undefined;
}

function targetOf(attributes: readonly Attribute[], path: string): Target {
  const [, name, filter, subName] = PATH.exec(path) ?? [];
  const attribute = name === undefined ? undefined : attributeNamed(attributes, name);
  const sub = subName === undefined ? undefined : attributeNamed(attribute?.subAttributes ?? [], subName);
  if (!attribute || (subName !== undefined && !sub))
    throw new ScimRefusal("invalidPath", `There is no attribute ${path.slice(0, 200)}.`);
  return { attribute, ...(filter !== undefined && { filter: parseFilter(filter) }), ...(sub && { sub }) };
}

function applyAt(document: Document, target: Target, op: Operation, value: unknown, mostValues: number): void {
  const { attribute, filter, sub } = target;
  if (attribute.mutability === "readOnly") throw new ScimRefusal("mutability", `${attribute.name} is read-only.`);
  if (filter || (sub && attribute.multiValued)) applyToValues(document, target, op, value, mostValues);
  else if (sub) applyToSub(document, { attribute, sub }, op, value, mostValues);
  else if (op === "remove") remove(document, attribute, value, mostValues);
  else if (!isUnassigned(value)) {
    const read = readValue(attribute, value, mostValues);
    set(document, attribute, op === "add" ? added(attribute, document[attribute.name], read, mostValues) : read);
  } else if (op === "replace") set(document, attribute, undefined);
}

function applyToSub(
  document: Document,
  { attribute, sub }: { attribute: Attribute; sub: Attribute },
  op: Operation,
  value: unknown,
  mostValues: number,
): void {
  const complex = { ...(document[attribute.name] as Document | undefined) };
  if (op === "remove" || isUnassigned(value)) delete complex[sub.name];
  else complex[sub.name] = readValue(sub, value, mostValues);
  set(document, attribute, complex);
}

/** A removal with values removes these alone, as some providers send it for members. */
function remove(document: Document, attribute: Attribute, value: unknown, mostValues: number): void {
  if (!attribute.multiValued || isUnassigned(value)) {
    delete document[attribute.name];
    return;
  }
  const gone = new Set((readValue(attribute, value, mostValues) as Document[]).map((each) => each.value));
  const left = valuesOf(document, attribute).filter((each) => !gone.has(each.value));
  set(document, attribute, left);
}

function added(attribute: Attribute, present: unknown, given: unknown, mostValues: number): unknown {
  if (attribute.multiValued) {
    const values = [...((present ?? []) as unknown[])];
    const ids = new Set(values.map((each) => JSON.stringify(keyOf(each))));
    for (const each of given as unknown[]) {
      if (ids.has(JSON.stringify(keyOf(each)))) continue;
      ids.add(JSON.stringify(keyOf(each)));
      values.push(each);
    }
    requireFew(attribute, values.length, mostValues);
    return onePrimary(values, given as unknown[]);
  }
  return attribute.type === "complex" ? { ...(present as object | undefined), ...(given as object) } : given;
}

function requireFew({ name }: Attribute, count: number, mostValues: number): void {
  if (count > mostValues) throw new ScimRefusal("tooMany", `${name} has at most ${mostValues} values.`);
}

/** Returns the part of a value by which it is the same as another one. */
function keyOf(value: unknown): unknown {
  const { value: key, type } = value as { value?: unknown; type?: unknown };
  return [key ?? value, type ?? null];
}

/** A new primary value takes the place of the former one (RFC 7644 3.5.2). */
function onePrimary(values: unknown[], given: unknown[]): unknown[] {
  const primary = given.find((each) => (each as { primary?: unknown }).primary === true);
  if (primary === undefined) return values;
  return values.map((each) =>
    each !== primary && !isDeepStrictEqual(each, primary) && (each as { primary?: unknown }).primary === true
      ? { ...(each as object), primary: false }
      : each,
  );
}

function applyToValues(
  document: Document,
  { attribute, filter, sub }: Target,
  op: Operation,
  value: unknown,
  mostValues: number,
): void {
  if (!attribute.multiValued || attribute.type !== "complex")
    throw new ScimRefusal("invalidPath", `${attribute.name} has no values to choose from.`);
  const values = valuesOf(document, attribute);
  const matches = (each: Document) => !filter || matchesFilter(attribute, each, filter);
  const read = () =>
    sub ? { [sub.name]: readValue(sub, value, mostValues) } : readOneOf(attribute, value, mostValues);
  if (op !== "remove" && !values.some(matches)) {
    // A value that a path like `emails[type eq "work"].value` selects is added if it is not there yet.
    requireFew(attribute, values.length + 1, mostValues);
    const chosen = filter && attributeNamed(attribute.subAttributes ?? [], filter.attribute);
    const given = chosen && { [chosen.name]: readValue(chosen, filter!.value, mostValues) };
    set(document, attribute, [...values, { ...given, ...read() }]);
  } else if (op === "remove" && !sub) {
    const left = values.filter((each) => !matches(each));
    set(document, attribute, left);
  } else {
    const changed = values.map((each) => {
      if (!matches(each)) return each;
      if (op !== "remove") return { ...each, ...read() };
      return Object.fromEntries(Object.entries(each).filter(([name]) => name !== sub!.name));
    });
    set(document, attribute, changed);
  }
}

function readOneOf(attribute: Attribute, value: unknown, mostValues: number): Document {
  return readValue({ ...attribute, multiValued: false }, value, mostValues) as Document;
}

function matchesFilter(attribute: Attribute, each: Document, { attribute: name, value }: Filter): boolean {
  const sub = attributeNamed(attribute.subAttributes ?? [], name);
  if (!sub) throw new ScimRefusal("invalidFilter", `${attribute.name} has no ${name}.`);
  return String(each[sub.name] ?? "").toLowerCase() === String(value).toLowerCase();
}

function valuesOf(document: Document, { name }: Attribute): Document[] {
  return (document[name] ?? []) as Document[];
}

function set(document: Document, { name }: Attribute, value: unknown): void {
  const isEmpty = isUnassigned(value) || (typeof value === "object" && Object.keys(value as object).length === 0);
  if (isEmpty) delete document[name];
  else document[name] = value;
}
