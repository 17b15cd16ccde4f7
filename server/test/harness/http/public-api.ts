import assert from "node:assert/strict";
import { SPECIFIED_SCOPES } from "../../../src/access/access.ts";
import type { PublicRoute } from "../../../src/api/route.ts";
import { routes } from "../../../src/api/routes.ts";
import { newKey, type TestTenant } from "../devices.ts";
import type { TestServer } from "../server.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { https } from "./https.ts";

export interface Asked {
  id?: string;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const publicRoutes = routes.filter((route): route is PublicRoute => route.surface === "public");
const specified: ReadonlySet<string> = new Set(SPECIFIED_SCOPES);

const isWebhooks = ({ scope }: PublicRoute) => scope.startsWith("webhooks:");

/**
 * The operation ids of the specification, and additional operations that return records. Streams and webhooks have
 * their own tests.
 */
export const OPERATIONS = {
  specified: publicRoutes.filter(({ scope }) => specified.has(scope)).map(({ operationId }) => operationId),
  added: publicRoutes
    .filter((route) => !specified.has(route.scope) && route.mediaType === undefined && !isWebhooks(route))
    .map(({ operationId }) => operationId),
  webhooks: publicRoutes.filter(isWebhooks).map(({ operationId }) => operationId),
};

/**
 * Calls operations with a key that has only the required scope, and records those that succeed with the documented
 * shape.
 */
export function publicApi(server: TestServer, tenant: TestTenant) {
  const answered = new Set<string>();
  async function call(operationId: string, { id = "", query = "", body, headers }: Asked = {}): Promise<HttpAnswer> {
    const route = publicRoutes.find((each) => each.operationId === operationId)!;
    const answer = await https(`${server.httpUrl}${route.path.replace(/\{\w+\}/, id)}${query}`, {
      ca: server.ca,
      method: route.method,
      headers: { "x-api-key": await newKey(server, tenant, route.scope), ...headers },
      ...(body === undefined ? {} : { body }),
    });
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
