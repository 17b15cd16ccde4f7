import assert from "node:assert/strict";
import type { ErrorCode } from "../../../src/api/problem.ts";
import type { HttpAnswer } from "./http-answer.ts";

interface Declared {
  operationId: string;
  method: string;
  path: RegExp;
  /** The status of each error code that the operation declares. */
  statuses: Map<string, number>;
}

let declared: Promise<Declared[]> | undefined;

/**
 * Loads the routes at the first error of a test. Most services under test run in the same process and have loaded them
 * already.
 */
async function load(): Promise<Declared[]> {
  const { errorCodes } = await import("../../../src/api/openapi/failures.ts");
  const { PROBLEMS } = await import("../../../src/api/problem.ts");
  const { everyRoute } = await import("../../../src/api/routes.ts");
  return everyRoute.map((route) => ({
    operationId: route.operationId,
    method: route.method,
    path: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    statuses: new Map(errorCodes(route).map((code: ErrorCode) => [code, PROBLEMS[code].status])),
  }));
}

/**
 * Fails any test that receives an error which the operation does not declare. Errors of the router are exempt because
 * no operation was reached, and so are unknown addresses.
 */
export async function assertDeclared(
  method: string,
  url: string,
  { status, headers, json }: HttpAnswer,
): Promise<void> {
  const { pathname } = new URL(url);
  if (status < 400 || !pathname.startsWith("/api/")) return;
  if (typeof json?.error !== "string" || json.middleware === "router") return;
  declared ??= load();
  const route = (await declared).find((each) => each.method === method && each.path.test(pathname));
  if (!route) return;
  const reported = `${route.operationId} answered ${status} ${json.error}: ${json.message}`;
  assert.ok(route.statuses.has(json.error), `undeclared: ${reported}`);
  assert.equal(status, route.statuses.get(json.error), reported);
  assert.equal(json.requestId, headers["x-request-id"], reported);
  assert.match(json.message, /[.!?:…]$/, reported);
}

/** Codes that no operation declares: those of the router, and of use cases that no route runs yet. */
export const UNDECLARED = ["method_not_allowed", "expectation_failed"];
