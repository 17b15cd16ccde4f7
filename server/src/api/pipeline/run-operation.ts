import type { FastifyRequest } from "fastify";
import { type BoundFunctions, type Caller, requesterOf, requireMay } from "../../access/access.ts";
import type { Logger } from "../../lib/logger.ts";
import { type EndNotice, endNotice } from "../deprecation.ts";
import { problemOf, Refusal } from "../problem.ts";
import type { PublicRoute } from "../route.ts";
import { routes } from "../routes.ts";
import { type RawInput, validate } from "./validate.ts";

/** The outcome of an operation within another request: the answer or the error body, and its announced end. */
export type Outcome = ({ ok: true; answer: unknown } | { ok: false; problem: object }) & { deprecation?: EndNotice };

export interface RunTools {
  bound: BoundFunctions;
  isUnavailable: (error: unknown) => boolean;
  logger: Logger;
}

const byOperation = new Map(
  routes
    .filter((route): route is PublicRoute => route.surface === "public" && route.mediaType === undefined)
    .map((route) => [route.operationId, route]),
);

/** Returns the route of the public API with this name; `undefined` if none answers with one JSON body. */
export function routeOf(operationId: string): PublicRoute | undefined {
  return byOperation.get(operationId);
}

/**
 * Runs an operation of the public API for the caller of `request`, as its route does: scope, validation, use case,
 * audit.
 */
export async function runOperation(
  request: FastifyRequest,
  { bound, isUnavailable, logger }: RunTools,
  route: PublicRoute | undefined,
  raw: RawInput,
): Promise<Outcome> {
  const caller = request.who as Caller;
  const notice = route ? endNotice(route) : {};
  try {
    if (!route) throw new Refusal("invalid_request", "there is no such operation", { detail: "operationId" });
    requireMay(caller, route.useCase.may);
    const input = validate(route, raw);
    const asked = { id: request.id, ...requesterOf(caller), operation: route.operationId };
    const as = route.method === "GET" ? caller : { ...caller, request: asked };
    return { ok: true, answer: await route.handler(as, input, bound.get(route.useCase)), ...notice };
  } catch (error) {
    const problem = problemOf(error, request.id, isUnavailable);
    if (problem.status >= 500)
      logger.error({ err: error, requestId: request.id, operationId: route?.operationId }, "operation failed");
    return { ok: false, problem: problem.body, ...notice };
  }
}
