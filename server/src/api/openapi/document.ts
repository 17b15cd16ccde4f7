import { SCOPES } from "../../access/access.ts";
import { VERSION } from "../../lib/installed/version.ts";
import type { Route } from "../route.ts";
import { errorBody } from "../shapes.ts";
import { BATCH_TAG, batchOperation } from "./batch.ts";
import { errorSchema, failureComponents } from "./failures.ts";
import { headerComponents } from "./headers.ts";
import { operation } from "./operation.ts";
import { callbacks, MESSAGES_TAG, webhooks } from "./payloads.ts";
import { createSchemas, type Json } from "./schemas.ts";
import { TAGS } from "./tags.ts";

type Surface = Route["surface"];

const COMMON_TEXT =
  "Every error has the same body: `error` is the code to program against, `message` is for people, `requestId` identifies the request in the service's log. Answers may gain fields; ignore unknown ones.";

/** The compatibility policy of the public API; `tools/compatibility` enforces it. */
const VERSIONING = `## Versioning

Every path begins with \`/api/v1\`. Within v1 the service may add operations, optional fields of bodies, query parameters, fields of answers, error codes, webhooks, and values of an enumeration where \`x-extensible-enum\` lists them. Nothing else changes: no operation, field, parameter or value is removed, renamed or given another meaning, and nothing optional becomes required.

Before an operation ends, its answers carry \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) for at least twelve months, and the operation is \`deprecated\` here, with its end as \`x-sunset\` and the operation to use instead as \`x-successor\`. A batch says so in the result of each operation.

Errors do not use RFC 9457, because the specification of this API fixes their body.`;

const INFO: Record<Surface, { title: string; summary: string; description: string }> = {
  public: {
    title: "Muster public API",
    summary:
      "One tenant's devices, groups, shifts, thresholds, anomalies, tickets, enrollment claims and certificates.",
    description: `Reads and writes one tenant's data with a scoped API key, which determines the tenant: no request ever names one. A key may send 120 requests in any 60 seconds, and \`write\` does not imply \`read\`.\n\nLists are newest first, in pages of \`skip\` and \`limit\`. Unknown and read-only fields in a body are refused, as is text with NUL or half of a surrogate pair. ${COMMON_TEXT}\n\n${VERSIONING}`,
  },
  admin: {
    title: "Muster admin API",
    summary: "The API of the admin app: for browsers, with the session of a user.",
    description: `For the admin app that comes with the same service: operations change together with it, without compatibility for other programs, which use the public API. Only requests from the app's own origin are answered. A session may send 600 requests in any 60 seconds. ${COMMON_TEXT}`,
  },
  device: {
    title: "Muster device-facing endpoints",
    summary: "How a device gets its certificate and renews it.",
    description: `The credential is the claim code, or the client certificate of the TLS connection. Unknown fields in a body are ignored, since firmware outlives servers. ${COMMON_TEXT}`,
  },
};

const SESSION = {
  type: "apiKey",
  in: "cookie",
  name: "__Host-muster",
  description: "The session of a user, which `POST /api/admin/session` starts.",
};

const API_KEY = {
  type: "apiKey",
  in: "header",
  name: "X-API-Key",
  description: `A scoped API key of one tenant, created by its administrator and shown once. Scopes: ${SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`,
};

/** The address in the documents of the repository: the default of `MUSTER_BASE_URL`. */
const DEFAULT_BASE_URL = "https://localhost:8443";

/**
 * Creates the OpenAPI 3.1 description of one surface, derived from its routes. It takes some 0.3 s, in steps of
 * at most about 10 ms.
 *
 * @param baseUrl the service's address, for links that must be absolute
 */
export function* document(
  surface: Surface,
  routes: readonly Route[],
  baseUrl = DEFAULT_BASE_URL,
): Generator<void, Json> {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route, schemas, routes);
    yield;
  }
  if (surface === "public") {
    paths["/api/v1/batch"] = { post: batchOperation(schemas) };
    Object.assign(paths["/api/v1/webhooks"]!.post as Json, { callbacks: callbacks(schemas) });
  }
  yield;
  const { pathItems = {}, ...sent } = surface === "public" ? webhooks(schemas) : {};
  yield;
  const components = {
    ...(surface === "public" ? { securitySchemes: { apiKey: API_KEY } } : {}),
    ...(surface === "admin" ? { securitySchemes: { session: SESSION } } : {}),
    ...headerComponents(),
    ...failureComponents(routes),
    pathItems,
    schemas: { Error: errorSchema(routes, schemas.of(errorBody, "answer")), ...schemas.components() },
  };
  yield;
  return {
    openapi: "3.1.0",
    info: {
      ...INFO[surface],
      version: VERSION,
      contact: { name: "The operator of this service" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that serves this document" }],
    externalDocs: {
      url: `${baseUrl}/docs/api`,
      description: "The API reference, with a page for every operation and error",
    },
    tags: tagsOf(routes, surface === "public" ? [BATCH_TAG, MESSAGES_TAG] : []),
    paths,
    ...sent,
    components: used(components, { paths, ...sent }),
  };
}

function tagsOf(routes: readonly Route[], more: readonly string[]): Json[] {
  const names = new Set([...routes.map(({ tag }) => tag), ...more]);
  const missing = [...names].find((name) => !(name in TAGS));
  if (missing) throw new Error(`the tag ${missing} needs a description in openapi/tags.ts`);
  return Object.entries(TAGS)
    .filter(([name]) => names.has(name))
    .map(([name, description]) => ({ name, description }));
}

const REFERENCE = /"#\/components\/([^"]+)"/g;

/** Returns only the referenced components: the other surface's headers are omitted. */
function used(components: Json, operations: Json): Json {
  const referenced = new Set([...JSON.stringify([operations, components]).matchAll(REFERENCE)].map(([, to]) => to));
  const kept = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(
      Object.entries(all as Json).filter(([name]) => kind === "securitySchemes" || referenced.has(`${kind}/${name}`)),
    ),
  ]);
  return Object.fromEntries(kept.filter(([, all]) => Object.keys(all as Json).length > 0));
}
