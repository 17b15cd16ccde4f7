import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type BoundFunctions, type Caller, type Declaration, requesterOf } from "../../access/access.ts";
import type { ApiRequest, Audit } from "../../audit/audit.ts";
import { isMusterError } from "../../lib/errors.ts";
import { records } from "../../lib/limits/records.ts";
import type { Logger } from "../../lib/logger.ts";
import { type Deprecation, deprecationHeaders } from "../deprecation.ts";
import { Download } from "../export/download.ts";
import { isConditional, type Route, runsUseCase, takesIdempotencyKey, type UseCaseRoute } from "../route.ts";
import { EventStream, type StreamTools, serveEventStream } from "../stream/event-stream.ts";
import { setAnswerHeaders, setLocation } from "./answer-headers.ts";
import { challengeCookie, flowCookie, withoutCookies } from "./cookies.ts";
import { precondition } from "./entity-tag.ts";
import { type GuardTools, guardOf } from "./guards.ts";
import { idempotencyOf } from "./idempotency.ts";
import { type ExportTools, serveDownload, serveExport, wantsExport } from "./serve-export.ts";
import { type ValidInput, validate } from "./validate.ts";

/** The dependencies of the pipeline. */
export interface PipelineTools extends GuardTools {
  audit: Audit;
  /** Every use case and service that a route may name. */
  bound: BoundFunctions;
  logger: Logger;
  streams: StreamTools;
  exports: ExportTools;
}

/** The bound use case or service of a route. */
type Run = Declaration;

/** The maximum size of a body in bytes (docs/api-conventions.md). */
export const BODY_LIMIT = {
  public: records.requestBytes.value,
  admin: records.requestBytes.value,
  device: records.deviceRequestBytes.value,
};

/**
 * Mounts a route on the server. Authentication, rate limit and scope or role come before the body is read, validation
 * and handler after it.
 */
export function mount(app: FastifyInstance, route: Route, tools: PipelineTools): void {
  const run = tools.bound.get(runsUseCase(route) ? route.useCase : route.service);
  if (!run) throw new Error(`no facade has the use case of ${route.operationId}`);
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    bodyLimit: BODY_LIMIT[route.surface],
    config: { secret: route.secret ?? false },
    onRequest: [...(route.deprecation ? [announceEnd(route.deprecation)] : []), guardOf(route, tools)],
    ...(provesItself(route) && { onResponse: authenticatedBySuccess(tools) }),
    handler: async (request, reply) => {
      const input = { ...validate(route, request), ...cookiesOf(route, request.headers.cookie) };
      if ("stepUp" in route && typeof route.stepUp === "function" && route.stepUp(input.body as never))
        await request.requireStepUp?.();
      if ("stepUp" in route && route.stepUp === "many devices")
        await request.requireStepUp?.((input.params as { id: string }).id);
      if (runsUseCase(route) && writes(route)) return write(route, request, reply, input, { ...tools, run });
      // The route's guard has set the kind of caller that its handler takes.
      const handler = route.handler as (who: unknown, input: ValidInput, run: Run) => Promise<unknown>;
      if ("csv" in route && wantsExport(input))
        return await serveExport(request, reply, { route, input, run }, tools.exports);
      const answer = await handler(request.who, input, run);
      if (answer instanceof Download) return await serveDownload(request, reply, answer, tools.exports);
      if (answer instanceof EventStream) return serveEventStream(request, reply, answer, tools.streams);
      return answerWith(route, request, reply, answer);
    },
  });
}

/** Returns a hook that announces the end of the route with every answer, including refusals. */
function announceEnd(deprecation: Deprecation) {
  const headers = deprecationHeaders(deprecation);
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => void reply.headers(headers);
}

/** Returns the cookies that the route takes as input. */
function cookiesOf({ takesFlow, takesChallenge }: Route, header: string | undefined) {
  return {
    ...(takesFlow && { flowCookie: flowCookie(header) }),
    ...(takesChallenge && { challengeCookie: challengeCookie(header) }),
  };
}

/**
 * Reports whether a success of the route proves that the client had valid credentials: a claim code, a certificate, a
 * password, a link.
 */
function provesItself(route: Route): boolean {
  return route.surface === "device" || (route.surface === "admin" && route.by === "anyone" && writes(route));
}

function authenticatedBySuccess({ authenticated }: PipelineTools) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (reply.statusCode < 400) authenticated(request.raw);
    done();
  };
}

/** Reports whether the route changes something. */
export function writes({ method, safe }: Route): boolean {
  return method !== "GET" && !safe;
}

interface WriteTools {
  audit: Audit;
  run: Run;
  logger: Logger;
}

/** Runs a write: recorded in an audit, once per Idempotency-Key, and conditional on If-Match. */
async function write(
  route: UseCaseRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  input: ValidInput,
  { audit, run, logger }: WriteTools,
): Promise<unknown> {
  const caller = request.who as Caller;
  const asked: ApiRequest = { id: request.id, ...requesterOf(caller), operation: route.operationId };
  const idempotency = takesIdempotencyKey(route) && idempotencyOf(request.headers["idempotency-key"], input);
  if (!idempotency) {
    const matches = isConditional(route) ? precondition(request.headers, route.volatile) : undefined;
    const answer = await route.handler({ ...caller, request: asked }, { ...input, matches }, run);
    return answerWith(route, request, reply, answer);
  }
  return writeOnce(route, request, reply, input, { ...asked, idempotency }, { audit, run, logger });
}

/**
 * Runs a write once per Idempotency-Key. A repetition gets the first answer, even if both run at the same time: the
 * transaction decides.
 */
async function writeOnce(
  route: UseCaseRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  input: ValidInput,
  once: ApiRequest,
  { audit, run, logger }: WriteTools,
): Promise<unknown> {
  const recall = () => audit.replayAnswer(once, !route.secret);
  const before = await recall();
  if (before !== undefined) return replay(route, reply, before);
  let answer: unknown;
  try {
    answer = await route.handler({ ...(request.who as Caller), request: once }, input, run);
  } catch (error) {
    // The same request may have committed in the meantime; this one then failed on its key or on the records of the
    // first.
    const meanwhile = isMusterError(error) ? await recall() : undefined;
    if (meanwhile === undefined) throw error;
    return replay(route, reply, meanwhile);
  }
  if (!route.secret) await keep(audit, logger, once, answer);
  return answerWith(route, request, reply, answer);
}

/**
 * Stores the answer for a repetition. The write has committed: without its answer a repetition gets
 * `already_processed`.
 */
async function keep(audit: Audit, logger: Logger, once: ApiRequest, answer: unknown): Promise<void> {
  try {
    await audit.storeAnswer(once, JSON.stringify(answer ?? null));
  } catch (error) {
    logger.warn(
      { requestId: once.id, err: (error as Error).message },
      "the answer could not be stored for a repetition of the request",
    );
  }
}

function replay(route: Route, reply: FastifyReply, answer: string): FastifyReply {
  reply.code(route.status).header("idempotent-replayed", "true");
  if (!route.response) return reply.send();
  reply.type("application/json; charset=utf-8");
  setLocation(route, reply, JSON.parse(answer));
  return reply.send(answer);
}

function answerWith(route: Route, request: FastifyRequest, reply: FastifyReply, handled: unknown): unknown {
  const answer = withoutCookies(reply, handled);
  reply.code(route.status);
  if (!route.response) return reply.send();
  const unchanged = setAnswerHeaders(route, request, reply, answer);
  return unchanged ? reply.code(304).send() : answer;
}
