import { z } from "zod";
import { type ErrorCode, PROBLEMS } from "./problem.ts";
import { isConditional, type Route, takesIdempotencyKey } from "./route.ts";
import { routes } from "./routes.ts";
import { errorBody } from "./shapes.ts";

type Json = Record<string, unknown>;
type Surface = Route["surface"];

const INFO: Record<Surface, { title: string; description: string }> = {
  public: {
    title: "Muster public API",
    description:
      "Reads and writes one tenant's data with a scoped API key, which decides the tenant. Lists are newest first. Every error has the same body; `error` is the code to program against.",
  },
  device: {
    title: "Muster device-facing endpoints",
    description:
      "How a device gets its certificate and renews it. The credential is the claim code, or the client certificate.",
  },
};

/** What any operation of a surface may answer, besides its own errors. */
const COMMON: Record<Surface, readonly ErrorCode[]> = {
  public: ["invalid_api_key", "rate_limited", "insufficient_scope", "internal_error", "catalog_unavailable"],
  device: ["rate_limited", "internal_error", "catalog_unavailable"],
};

/** Every code that `route` may answer: its own, its surface's, and those of what it takes in. */
export function errorCodes(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = [...COMMON[route.surface], ...route.errors];
  if (route.params || route.query || route.body) codes.push("invalid_request");
  if (route.body) codes.push("payload_too_large", "unsupported_media_type", "request_timeout");
  if (takesIdempotencyKey(route)) codes.push("already_processed", "idempotency_key_reused");
  if (isConditional(route)) codes.push("precondition_failed");
  return [...new Set(codes)].sort((one, other) => PROBLEMS[one].status - PROBLEMS[other].status);
}

/** The OpenAPI 3.1 description of the public API (spec 4.9, 9), made from the routes themselves. */
export function publicDocument(): Json {
  return document("public");
}

/** The same for the device-facing endpoints. */
export function deviceDocument(): Json {
  return document("device");
}

function document(surface: Surface): Json {
  const ofSurface = routes.filter((route) => route.surface === surface);
  const paths: Record<string, Json> = {};
  for (const route of ofSurface) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: { ...INFO[surface], version: "1.0.0", license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/", description: "The service that serves this document" }],
    tags: [...new Set(ofSurface.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      ...(surface === "public" ? { securitySchemes: SECURITY_SCHEMES } : {}),
      headers: HEADERS,
      schemas: { Error: schemaOf(errorBody, "output") },
    },
  };
}

const SECURITY_SCHEMES = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "A scoped API key of one tenant" },
};

const HEADERS = {
  RequestId: { description: "Names this request in the service's log", schema: { type: "string" } },
  RateLimit: { description: "Requests left (r) and seconds until one more (t)", schema: { type: "string" } },
  RateLimitPolicy: { description: "The quota (q) and its window in seconds (w)", schema: { type: "string" } },
  RetryAfter: { description: "Whole seconds to wait", schema: { type: "integer" } },
};

function operation(route: Route): Json {
  const scope = route.surface === "public" ? route.scope : undefined;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: scope ? `${route.description}\n\nNeeds the scope \`${scope}\`.` : route.description,
    ...(scope ? { security: [{ apiKey: [] }], "x-required-scope": scope } : { security: [] }),
    ...withParameters(route),
    ...withBody(route),
    responses: { [route.status]: success(route), ...failures(route) },
  };
}

function withParameters(route: Route): Json {
  const parameters = [...parametersOf(route.params, "path"), ...parametersOf(route.query, "query")];
  return parameters.length > 0 ? { parameters } : {};
}

function parametersOf(shape: z.ZodType | undefined, where: "path" | "query"): Json[] {
  if (!shape) return [];
  const { properties, required = [] } = schemaOf(shape, "input") as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    ...(description ? { description } : {}),
    schema,
  }));
}

function withBody(route: Route): Json {
  if (!route.body) return {};
  const content = { schema: schemaOf(route.body, "input"), example: route.examples.body };
  const required = !route.body.safeParse(undefined).success;
  return { requestBody: { required, content: { "application/json": content } } };
}

function success(route: Route): Json {
  const description = route.status === 204 ? "Done; there is no body" : route.status === 201 ? "Created" : "Done";
  if (!route.response) return { description, headers: headersOf(route) };
  const content = { schema: schemaOf(route.response, "output"), example: route.examples.response };
  return { description, headers: headersOf(route), content: { "application/json": content } };
}

/** One answer a status, its codes as an enumeration and an example each. */
function failures(route: Route): Json {
  const byStatus = Map.groupBy(errorCodes(route), (code) => String(PROBLEMS[code].status));
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(route, codes)]));
}

function failure(route: Route, codes: ErrorCode[]): Json {
  const waits = codes.some((code) => [429, 502, 503].includes(PROBLEMS[code].status));
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Error" }, { type: "object", properties: { error: { enum: codes } } }],
  };
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: { ...headersOf(route), ...(waits ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}) },
    content: {
      "application/json": {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode): Json {
  const text = code.replaceAll("_", " ");
  return { error: code, middleware: PROBLEMS[code].middleware, message: text, requestId: "k3vq7xw2n5tbh-2f" };
}

function headersOf(route: Route): Json {
  const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
  if (route.surface === "device") return requestId;
  return {
    ...requestId,
    RateLimit: { $ref: "#/components/headers/RateLimit" },
    "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
  };
}

function schemaOf(shape: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, reused: "inline", override: mend });
  return schema as Json;
}

/**
 * Leaves out the patterns that say less than the type or format beside them, and puts back the default of an integer
 * that arrives as text, which the converter loses behind the transform.
 */
function mend({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.type !== "integer") return;
  delete jsonSchema.pattern;
  const usual = z.globalRegistry.get(zodSchema)?.default;
  if (usual !== undefined) jsonSchema.default = usual;
}
