import type { z } from "zod";
import type { LeastRole } from "../../access/access.ts";
import type { AdminRoute, Method, Route } from "../route.ts";
import { failures } from "./failures.ts";
import { headerParameters, headerReferences, mayBeUnchanged, successHeaders, usualHeaders } from "./headers.ts";
import { linksOf } from "./links.ts";
import type { Json, Schemas } from "./schemas.ts";

/** Returns `route` as an operation of the document. @param all the routes of the document, for links to them */
export function operation(route: Route, schemas: Schemas, all: readonly Route[]): Json {
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...deprecated(route),
    ...credential(route),
    ...withParameters(route, schemas),
    ...withBody(route, schemas),
    responses: { ...successes(route, schemas, all), ...failures(route) },
  };
}

function deprecated({ deprecation }: Route): Json {
  if (!deprecation) return {};
  return { deprecated: true, "x-sunset": deprecation.sunset.toISOString(), "x-successor": deprecation.successor };
}

/**
 * Returns the credential. The scope is in the security requirement (OpenAPI 3.1) and, for older tools and readers, in
 * an extension and the text.
 */
function credential(route: Route): Json {
  if (route.surface === "device") return { description: route.description, security: [] };
  if (route.surface === "admin") return session(route);
  return {
    description: `${route.description}\n\nNeeds the scope \`${route.scope}\`.`,
    security: [{ apiKey: [route.scope] }],
    "x-required-scope": route.scope,
  };
}

/** Describes who may call an operation of the admin API, also for programs: `x-required-role`, `x-step-up`. */
function session(route: AdminRoute): Json {
  if (route.by === "anyone") return { description: route.description, security: [] };
  const role = route.by === "user" ? ADMITTED[route.role] : "every signed-in user";
  const which = route.stepUp === true ? "Needs" : "Some requests need";
  const stepUp = route.stepUp ? ` ${which} password and second factor entered within the last ten minutes.` : "";
  return {
    description: `${route.description}\n\nFor ${role}.${stepUp}`,
    security: [{ session: [] }],
    ...(route.by === "user" ? { "x-required-role": route.role } : {}),
    ...(route.stepUp ? { "x-step-up": true } : {}),
  };
}

const ADMITTED: Record<LeastRole, string> = {
  viewer: "every signed-in user",
  operator: "operators and admins",
  admin: "admins",
  platform: "users who run the installation",
};

function withParameters(route: Route, schemas: Schemas): Json {
  const parameters = [
    ...parametersOf(route.params, "path", schemas),
    ...parametersOf(route.query, "query", schemas),
    ...headerParameters(route),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function parametersOf(shape: z.ZodType | undefined, where: "path" | "query", schemas: Schemas): Json[] {
  if (!shape) return [];
  const { properties, required = [] } = schemas.of(shape, "parameters") as {
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

/** PATCH also accepts the media type of a JSON merge patch (RFC 7396). */
const MEDIA_TYPES: Partial<Record<Method, string[]>> = { PATCH: ["application/merge-patch+json", "application/json"] };

function withBody(route: Route, schemas: Schemas): Json {
  if (!route.body) return {};
  const content = { schema: schemas.of(route.body, "body"), example: route.examples.body };
  const required = !route.body.safeParse(undefined).success;
  const types = MEDIA_TYPES[route.method] ?? ["application/json"];
  return { requestBody: { required, content: Object.fromEntries(types.map((type) => [type, content])) } };
}

const DONE = { 200: "Done", 201: "Created", 204: "Done; there is no body" };

const CSV = { "text/csv": { schema: { type: "string" } } };

function successes(route: Route, schemas: Schemas, all: readonly Route[]): Json {
  const headers = headerReferences(successHeaders(route));
  const answer: Json = { description: DONE[route.status], headers };
  if (route.response) {
    const content = { schema: schemas.of(route.response, "answer"), example: route.examples.response };
    const alsoCsv = route.mediaType === "application/x-ndjson" ? CSV : {};
    answer.content = { [route.mediaType ?? "application/json"]: content, ...alsoCsv };
    Object.assign(answer, linksOf(route, all));
  }
  if (!mayBeUnchanged(route)) return { [route.status]: answer };
  const unchanged = headerReferences([...usualHeaders(route), "ETag"]);
  return { [route.status]: answer, 304: { description: "Your copy is current", headers: unchanged } };
}
