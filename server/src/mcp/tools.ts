/** A JSON value of an OpenAPI document. */
type Json = Record<string, unknown>;

/** One operation of the public API, as a tool of the Model Context Protocol. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
  method: string;
  /** The path in OpenAPI notation: `/api/v1/devices/{id}`. */
  path: string;
  parameters: Parameter[];
  /** A sentence for the assistant if the operation is deprecated. */
  ending?: string;
}

/** Arguments of a tool, sorted by their place in the request. */
export interface ToolRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Json;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  "x-required-scope"?: string;
  "x-sunset"?: string;
  "x-successor"?: string;
  parameters?: Json[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Json }>;
}

/** Resources that a tool never writes: certificates, claims, credentials, and addresses that get data. */
const NEVER_WRITTEN = new Set([
  "device-certificates",
  "provisioning",
  "users",
  "keys",
  "own-key",
  "mqtt-clients",
  "webhooks",
  "group-members",
  "group-channels",
]);

/** The page of a list if the assistant names none: a context window holds little. */
const USUAL_LIMIT = 20;

/**
 * Derives the tools from the description of the public API: every read, and with `writes` the writes that neither show
 * nor change a credential.
 *
 * @param document the OpenAPI document of the public API
 */
export function toolsOf(document: object, { writes }: { writes: boolean }): Tool[] {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const resolve = (value: unknown) => resolved(document as Json, value);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => isOffered(method, operation, writes))
      .map(([method, operation]) => toolOf(method, path, operation, resolve)),
  );
}

function isOffered(method: string, { responses, "x-required-scope": scope }: Operation, writes: boolean): boolean {
  if (scope === undefined) return false;
  // A tool answers once.
  if (Object.values(responses).some(({ content }) => content && !("application/json" in content))) return false;
  const [resource = "", action] = scope.split(":");
  if (action === "read") return true;
  return method !== "get" && writes && !NEVER_WRITTEN.has(resource);
}

function toolOf(method: string, path: string, operation: Operation, resolve: (value: unknown) => unknown): Tool {
  const all = (resolve(operation.parameters ?? []) as Parameter[]).filter((each) => each.in !== "header");
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const properties = Object.fromEntries(all.map(({ name, description, schema }) => [name, { ...schema, description }]));
  const required = all.filter((each) => each.required).map(({ name }) => name);
  if (body) properties.body = resolve(body.schema) as Json & { description: string };
  if (body && operation.requestBody?.required) required.push("body");
  const reads = operation["x-required-scope"]!.endsWith(":read");
  return {
    name: operation.operationId,
    title: operation.summary,
    description: operation.description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: {
      readOnlyHint: reads,
      destructiveHint: method === "delete" || method === "put",
      idempotentHint: method !== "post",
    },
    method: method.toUpperCase(),
    path,
    parameters: all,
    ...endingOf(operation),
  };
}

function endingOf({ operationId, "x-sunset": sunset, "x-successor": successor }: Operation): { ending?: string } {
  if (sunset === undefined) return {};
  return { ending: `${operationId} is deprecated and ends on ${sunset.slice(0, 10)}: use ${successor} instead.` };
}

/** Sorts the arguments of a tool by their place in the request. */
export function requestOf(tool: Tool, given: Readonly<Record<string, unknown>>): ToolRequest {
  const { body, ...others } = given;
  const request: ToolRequest = { params: {}, query: {}, body };
  const places = new Map(tool.parameters.map((each) => [each.name, each.in]));
  for (const [name, value] of Object.entries(others)) {
    // An unknown argument is refused with the query.
    const place = places.get(name) === "path" ? request.params : request.query;
    place[name] = typeof value === "string" ? value : JSON.stringify(value);
  }
  if (places.has("limit") && places.has("skip") && request.query.limit === undefined)
    request.query.limit = String(USUAL_LIMIT);
  return request;
}

/** Replaces every reference within `value` by its target, since a tool's schema stands alone. */
function resolved(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(document, each));
  if (value === null || typeof value !== "object") return value;
  const { $ref, ...others } = value as Json;
  const found = typeof $ref === "string" ? at(document, $ref) : {};
  const entries = Object.entries({ ...found, ...others }).map(([name, each]) => [name, resolved(document, each)]);
  return Object.fromEntries(entries);
}

function at(document: Json, reference: string): Json {
  const steps = reference.slice(2).split("/");
  return steps.reduce<unknown>((value, step) => (value as Json)[step], document) as Json;
}
