/** The parts of JSON Schema that the API's description uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

/** The direction of a value: a program sends an input, the service an output. */
export type Direction = "input" | "output";

/** A description with its schemas, one of the two that are compared. */
export type Resolve = (schema: Schema) => Schema;

const UPPER = ["maxLength", "maximum", "maxItems", "exclusiveMaximum"];
const LOWER = ["minLength", "minimum", "minItems", "exclusiveMinimum"];

/**
 * Compares a schema of the last release with the present one. An input must accept what it accepted, and an output must
 * stay within what it could be.
 *
 * @returns the breaking changes, each a sentence that begins with `at`
 */
export function compareSchemas(
  [before, after]: [Schema, Schema],
  [resolveBefore, resolveAfter]: [Resolve, Resolve],
  direction: Direction,
  at: string,
): string[] {
  const seen = new Set<string>();
  const compare = (one: Schema, other: Schema, place: string): string[] => {
    const names = `${one.$ref} ${other.$ref}`;
    // A schema that contains itself is compared once.
    if (one.$ref && other.$ref && seen.has(names)) return [];
    seen.add(names);
    const [old, present] = [alternatives(one, resolveBefore), alternatives(other, resolveAfter)];
    if (old.length === 1 && present.length === 1) return compareSingle(old[0]!, present[0]!, place);
    const [given, allowed] = direction === "input" ? [old, present] : [present, old];
    const pair = (from: Schema, to: Schema) => (direction === "input" ? ([from, to] as const) : ([to, from] as const));
    const lost = given.filter((each) => !allowed.some((to) => compareSingle(...pair(each, to), place).length === 0));
    const what = direction === "input" ? "no longer accepts" : "may now be";
    return lost.map((each) => `${place} ${what} ${JSON.stringify(each.type ?? each.enum ?? each)}`);
  };
  const compareSingle = (one: Schema, other: Schema, place: string): string[] => [
    ...types(one, other, direction, place),
    ...values(one, other, direction, place),
    ...(direction === "input" ? bounds(one, other, place) : []),
    ...(one.items && other.items ? compare(one.items, other.items, `${place}[]`) : []),
    ...fields(one, other, direction, place),
    ...Object.entries(one.properties ?? {}).flatMap(([name, field]) => {
      const present = other.properties?.[name];
      return present ? compare(field, present, `${place}.${name}`) : [];
    }),
  ];
  return compare(before, after, at);
}

/** Returns the alternatives of a schema, each of a single type. */
function alternatives(schema: Schema, resolve: Resolve): Schema[] {
  const found = resolve(schema);
  const union = found.anyOf ?? found.oneOf;
  if (union) return union.flatMap((each) => alternatives(each, resolve));
  if (!Array.isArray(found.type)) return [found];
  return found.type.map((type) => ({ ...found, type }));
}

function types(one: Schema, other: Schema, direction: Direction, at: string): string[] {
  const wider = (from: unknown, to: unknown) =>
    from === to || to === undefined || (from === "integer" && to === "number");
  const holds = direction === "input" ? wider(one.type, other.type) : wider(other.type, one.type);
  const format = one.format === other.format || (direction === "input" && other.format === undefined);
  return [
    ...(holds ? [] : [`${at} was ${one.type} and is ${other.type}`]),
    ...(format ? [] : [`${at} had the format ${one.format} and has ${other.format}`]),
  ];
}

function values(one: Schema, other: Schema, direction: Direction, at: string): string[] {
  const of = ({ enum: list, const: only }: Schema) => list ?? (only === undefined ? undefined : [only]);
  const [given, allowed] = direction === "input" ? [of(one), of(other)] : [of(other), of(one)];
  if (allowed === undefined) return [];
  if (given === undefined) return [`${at} ${direction === "input" ? "is now" : "is no longer"} an enumeration`];
  const lost = given.filter((value) => !allowed.includes(value));
  return lost.map((value) => `${at} ${direction === "input" ? "no longer accepts" : "may now be"} ${value}`);
}

function bounds(one: Schema, other: Schema, at: string): string[] {
  const tighter = (name: string, sign: 1 | -1) => {
    const [old, present] = [one[name], other[name]] as (number | undefined)[];
    return present !== undefined && (old === undefined || sign * present < sign * old);
  };
  const changed = [
    ...UPPER.filter((name) => tighter(name, 1)),
    ...LOWER.filter((name) => tighter(name, -1)),
    ...(other.pattern !== undefined && one.pattern !== other.pattern ? ["pattern"] : []),
  ];
  return changed.map((name) => `${at} has a tighter ${name}: ${one[name]} became ${other[name]}`);
}

function fields(one: Schema, other: Schema, direction: Direction, at: string): string[] {
  const [old, present] = [new Set(one.required), new Set(other.required)];
  const gone = Object.keys(one.properties ?? {}).filter((name) => !(name in (other.properties ?? {})));
  const required = direction === "input" ? [...present].filter((name) => !old.has(name)) : [];
  const optional = direction === "output" ? [...old].filter((name) => !present.has(name) && !gone.includes(name)) : [];
  return [
    ...gone.map((name) => `${at} has lost ${name}`),
    ...required.map((name) => `${at} now requires ${name}`),
    ...optional.map((name) => `${at} may now lack ${name}`),
  ];
}
