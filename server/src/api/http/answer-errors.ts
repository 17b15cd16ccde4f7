import type { FastifyReply, FastifyRequest } from "fastify";
import { isMusterError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { type Problem, problemOf } from "../problem.ts";

interface ErrorTools {
  logger: Logger;
  isUnavailable: (error: unknown) => boolean;
}

type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Answers failed requests; unforeseen errors are logged with their cause. */
export function answerErrors({ logger, isUnavailable }: ErrorTools): AnswerError {
  return (error, request, reply) => {
    const problem = problemOf(error, request.id, isUnavailable);
    if (problem.unforeseen) logUnforeseen(logger, error, request);
    logRefusal(logger, request, problem);
    return reply
      .code(problem.status)
      .headers({ ...problem.headers, "x-request-id": request.id })
      .send(problem.body);
  };
}

/** Logs an unforeseen error with its cause. */
export function logUnforeseen(logger: Logger, error: unknown, request: FastifyRequest): void {
  const cause = isMusterError(error) ? (error.cause ?? error) : error;
  logger.error({ requestId: request.id, route: request.routeOptions?.url, err: describe(cause) }, "request failed");
}

/**
 * Logs refused requests of authenticated callers at info, so that the request id can be found; the rate limit bounds
 * their number. Other refusals are counted in metrics, and logged at debug.
 */
function logRefusal(logger: Logger, request: FastifyRequest, { status, body }: Problem): void {
  const actor = request.who && "actor" in request.who ? request.who.actor : undefined;
  const level = actor && status < 500 ? "info" : "debug";
  if (!logger.isLevelEnabled(level)) return;
  const route = request.routeOptions?.url ?? "none";
  logger[level]({ requestId: request.id, actor, method: request.method, route, status, error: body.error }, "refused");
}

/** Returns the loggable part of an error: not its own fields, which could contain a statement's parameters. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.name, code: (error as { code?: unknown }).code, stack: error.stack };
}
