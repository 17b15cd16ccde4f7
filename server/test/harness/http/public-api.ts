import assert from "node:assert/strict";
import type { PublicRoute } from "../../../src/api/route.ts";
import { routes } from "../../../src/api/routes.ts";
import { newKey, type TestTenant } from "../devices.ts";
import type { TestServer } from "../server.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { https } from "./https.ts";

export interface Asked {
  id?: string;
  /** The id of a nested record. */
  nested?: string;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const publicRoutes = routes.filter((route): route is PublicRoute => route.surface === "public");
/** The operations of the specification (spec 4.1). */
const SPECIFIED = new Set([
  ...["listDevices", "getDevice", "replaceDevice", "listGroups", "getGroup", "createGroup", "assignShift"],
  ...["listShifts", "getShift", "listThresholds", "getThreshold", "createThreshold", "listAnomalies", "getAnomaly"],
  ...["acknowledgeAnomaly", "listTickets", "getTicket", "openTicket", "changeTicket", "listClaims", "getClaim"],
  ...["createClaim", "revokeClaim", "listDeviceCertificates", "listDeviceCertificateAudit"],
  ...["issueDeviceCertificate", "revokeDeviceCertificate"],
]);

/** The resources of the additions of `additions.test.ts`. */
const ADDED = new Set(["telemetry", "device-registry", "refusals"]);

/** The operations about people and their work that `programs/people.test.ts` calls. */
const PEOPLE = new Set(["acknowledgeAnomalies", "commentTicket", "listTicketComments", "listTicketHistory"]);

/** The operation ids by the test that calls them. Streams and events have their own tests. */
const callers = publicRoutes.map((route) => {
  const resource = route.scope.split(":")[0]!;
  if (SPECIFIED.has(route.operationId)) return ["specified", route.operationId] as const;
  if (route.mediaType !== undefined || resource === "events") return ["streams", route.operationId] as const;
  if (["users", "audit", "own-key"].includes(resource) || PEOPLE.has(route.operationId))
    return ["people", route.operationId] as const;
  if (resource === "webhooks" || resource === "commands") return [resource, route.operationId] as const;
  return [ADDED.has(resource) ? "added" : "configuration", route.operationId] as const;
});

const by = (name: string) => callers.filter(([test]) => test === name).map(([, operationId]) => operationId);

export const OPERATIONS = {
  specified: by("specified"),
  added: by("added"),
  webhooks: by("webhooks"),
  commands: by("commands"),
  people: by("people"),
  configuration: by("configuration"),
};

/**
 * Calls operations with a key that has only the required scope, and records those that succeed with the documented
 * shape.
 */
export function publicApi(server: TestServer, tenant: TestTenant) {
  const answered = new Set<string>();
  async function call(
    operationId: string,
    { id = "", nested = "", query = "", body, headers }: Asked = {},
  ): Promise<HttpAnswer> {
    const route = publicRoutes.find((each) => each.operationId === operationId)!;
    const answer = await https(
      `${server.httpUrl}${route.path.replace(/\{\w+\}/, id).replace(/\{\w+\}/, nested)}${query}`,
      {
        ca: server.ca,
        method: route.method,
        headers: { "x-api-key": await newKey(server, tenant, route.scope), ...headers },
        ...(body === undefined ? {} : { body }),
      },
    );
    assert.equal(answer.headers["cache-control"], "no-store");
    if (answer.status >= 400) return answer;
    assert.equal(answer.status, route.status, answer.text);
    if (route.mediaType) assert.match(answer.text, /^event: ready\nid: /);
    else if (route.response) route.response.parse(answer.json);
    else assert.equal(answer.text, "");
    answered.add(operationId);
    return answer;
  }
  return { call, answered };
}

export function assertRefused(answer: HttpAnswer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.json?.error], [status, error], answer.text);
}
