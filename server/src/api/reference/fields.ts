import type { Described, Schema } from "./document.ts";

/** One field of a body or one parameter, as shown on the page. */
export interface Field {
  name: string;
  /** The type in TypeScript notation: `string | null`, `object[]`. */
  type: string;
  required: boolean;
  description: string | undefined;
  /** Limits and default, each in a few words. */
  facts: string[];
  /** All allowed values, if they are enumerated. */
  values: string[];
  /** A regular expression that the text matches. */
  pattern: string | undefined;
  /** The fields of an object, or of the objects in a list. */
  fields: Field[];
}

type Resolve = Described["resolve"];

/** Returns the fields of an object, of the objects in a list, or of every object that it may be. */
export function fieldsOf(schema: Schema, resolve: Resolve): Field[] {
  const found = new Map<string, Field>();
  for (const { properties = {}, required = [] } of objectsIn(schema, resolve)) {
    for (const [name, property] of Object.entries(properties)) {
      if (!found.has(name)) found.set(name, fieldOf(name, property, required.includes(name), resolve));
    }
  }
  return [...found.values()];
}

/** Returns one field from its schema. */
export function fieldOf(name: string, given: Schema, required: boolean, resolve: Resolve): Field {
  const schema = resolve(given);
  const single = unionOf(schema, resolve).filter((each) => each.type !== "null")[0] ?? schema;
  const shown = single.type === "array" && single.items ? resolve(single.items) : single;
  return {
    name,
    type: typeOf(schema, resolve),
    required,
    description: schema.description ?? single.description,
    facts: [...new Set([...factsOf(schema), ...factsOf(single), ...factsOf(shown)])],
    values: valuesOf(shown),
    pattern: shown.pattern,
    fields: fieldsOf(schema, resolve),
  };
}

/** Returns the alternatives of a schema, otherwise the schema itself. */
function unionOf(schema: Schema, resolve: Resolve): Schema[] {
  const union = schema.anyOf ?? schema.oneOf;
  if (!union) return [schema];
  return union.flatMap((each) => unionOf(resolve(each), resolve));
}

function objectsIn(given: Schema, resolve: Resolve): Schema[] {
  const schema = resolve(given);
  if (schema.allOf) return schema.allOf.flatMap((each) => objectsIn(each, resolve));
  return unionOf(schema, resolve).flatMap((each) => {
    if (each.items) return objectsIn(each.items, resolve);
    return each.properties ? [each] : [];
  });
}

function typeOf(schema: Schema, resolve: Resolve): string {
  const types = unionOf(schema, resolve).flatMap((each) => plainTypes(each, resolve));
  return [...new Set(types)].join(" | ");
}

function plainTypes(schema: Schema, resolve: Resolve): string[] {
  if (schema.allOf) return ["object"];
  if (schema.prefixItems) return [`[${schema.prefixItems.map((each) => typeOf(resolve(each), resolve)).join(", ")}]`];
  if (schema.type === "array") return [schema.items ? listType(resolve(schema.items), resolve) : "any[]"];
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const types = [schema.type ?? values.map((value) => (value === null ? "null" : typeof value))].flat();
  if (types.length === 0) return ["any"];
  return types.map((type) => (type === "string" && schema.format ? schema.format : type));
}

function listType(item: Schema, resolve: Resolve): string {
  const type = typeOf(item, resolve);
  return type.includes("|") ? `(${type})[]` : `${type}[]`;
}

function valuesOf({ enum: values, const: only }: Schema): string[] {
  return (values ?? (only === undefined ? [] : [only])).map((value) => String(value));
}

function factsOf(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const facts = [
    range(minLength, maxLength, "characters"),
    range(minItems, maxItems, "items"),
    range(safe(minimum), safe(maximum), ""),
    exclusiveMinimum === undefined ? "" : `more than ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? "" : `less than ${exclusiveMaximum}`,
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ];
  return facts.filter((fact) => fact !== "");
}

/** Omits the limits of the safe integer range. */
function safe(limit: number | undefined): number | undefined {
  return limit !== undefined && Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const of = (text: string) => `${text} ${unit}`.trim();
  if (least !== undefined && most !== undefined) return of(least === most ? `exactly ${least}` : `${least} to ${most}`);
  if (least !== undefined) return least === 0 && unit !== "" ? "" : of(`at least ${least}`);
  return most === undefined ? "" : of(`at most ${most}`);
}
