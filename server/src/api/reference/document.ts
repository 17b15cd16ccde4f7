import { documentInTurns } from "../openapi/openapi.ts";
import type { ReferenceRoute } from "../route.ts";

/** The parts of JSON Schema that the documents use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface Header {
  description?: string;
  schema?: Schema;
}

export interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Answer {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Content>;
}

interface Operation {
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Answer>;
}

interface Document {
  info: { version: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** A surface's OpenAPI document: as text to serve, and parsed for the pages. */
export interface Described {
  text: string;
  version: string;
  tags: { name: string; description?: string }[];
  operation(route: ReferenceRoute): Operation;
  /** Returns the component to which `value` refers, otherwise `value`. */
  resolve<T extends object>(value: T): T;
}

/** Parses the document that clients get, so that the pages agree with it. */
export async function describe(surface: "public" | "device", baseUrl: string): Promise<Described> {
  const text = JSON.stringify(await documentInTurns(surface, baseUrl));
  const document = JSON.parse(text) as Document;
  return {
    text,
    version: document.info.version,
    tags: document.tags ?? [],
    operation: ({ path, method }) => document.paths[path]![method.toLowerCase()]!,
    resolve: (value) => resolved(document, value),
  };
}

function resolved<T extends object>(document: object, value: T): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value;
  const steps = $ref.slice(2).split("/");
  const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
  if (typeof found !== "object" || found === null) throw new Error(`the API's description has no ${$ref}`);
  const { $ref: _, ...beside } = value as Record<string, unknown>;
  return { ...resolved(document, found), ...beside } as T;
}
