import { z } from "zod";

export type Json = Record<string, unknown>;

/** The use of a shape: input is described before its transforms, answers after them. */
export type Use = "parameters" | "body" | "answer";

/** Converts the routes' shapes to JSON Schema; those with an id of their own become components, each once. */
export interface Schemas {
  of(shape: z.ZodType, use: Use): Json;
  /** Returns every component used so far, by its id. */
  components(): Json;
}

export function createSchemas(): Schemas {
  const components = new Map<string, Json>();
  return {
    of(shape, use) {
      const io = use === "answer" ? "output" : "input";
      // Inside an object, a shape with an id is a reference like any other.
      const converted = z.toJSONSchema(z.object({ it: shape }), { io, reused: "inline", override: mend(use) });
      const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
      const moved = JSON.parse(text, (_, inner) => exclusive(inner)) as {
        properties: { it: Json };
        $defs?: Record<string, Json>;
      };
      for (const [id, schema] of Object.entries(moved.$defs ?? {})) add(components, id, schema);
      return moved.properties.it;
    },
    components: () => Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function add(components: Map<string, Json>, id: string, schema: Json): void {
  const named = { ...schema, ...constantNames(id, schema) };
  const before = components.get(id);
  if (before && JSON.stringify(before) !== JSON.stringify(named)) throw new Error(`two shapes have the id ${id}`);
  components.set(id, named);
}

/** Prefixes constant names with the type. Generated Go puts all constants in one package. */
function constantNames(id: string, { enum: values }: Json): Json {
  if (!Array.isArray(values)) return {};
  const prefix = id.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_");
  return { "x-enum-varnames": values.map((value) => `${prefix}_${value}`.replaceAll(/\W/g, "_").toUpperCase()) };
}

/** Rewrites alternatives that are all named as `oneOf`, from which generators make a tagged union. */
function exclusive(schema: unknown): unknown {
  const { anyOf, ...others } = (schema ?? {}) as { anyOf?: Json[] };
  return anyOf?.every((each) => "$ref" in each) ? { ...others, oneOf: anyOf } : schema;
}

/** Corrects the converter's schema of one shape. */
function mend(use: Use) {
  return ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void => {
    // The type or format is more specific.
    if (jsonSchema.format === "date-time" || jsonSchema.type === "integer") delete jsonSchema.pattern;
    // An answer may gain fields in later versions.
    if (use === "answer" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    if (jsonSchema.prefixItems) plainTuple(jsonSchema);
    if (use === "body") sayDefault(jsonSchema);
    if (use !== "parameters" || jsonSchema.type !== "integer") return;
    // The converter loses the default of an integer that arrives as text.
    const usual = z.globalRegistry.get(zodSchema)?.default;
    if (usual !== undefined) jsonSchema.default = usual;
  };
}

/** Rewrites a tuple of equal items as a list of fixed length: few tools understand `prefixItems`. */
function plainTuple(schema: Json): void {
  const [first, ...others] = schema.prefixItems as Json[];
  if (schema.items !== false || others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) return;
  schema.items = first;
  delete schema.prefixItems;
}

/** Moves a default into the description: client generators treat a body's field with a `default` as always sent. */
function sayDefault(schema: Json): void {
  if (schema.default === undefined) return;
  const said = `\`${JSON.stringify(schema.default)}\` by default`;
  schema.description = schema.description ? `${schema.description}. ${said}` : said;
  delete schema.default;
}
