import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../../lib/logger.ts";
import { ERROR_SCHEMA, type ScimReason, ScimRefusal } from "../../scim/scim.ts";
import { logUnforeseen } from "../http/answer-errors.ts";
import { problemOf } from "../problem.ts";

/** The statuses of refusals by the protocol (RFC 7644 3.12). */
const STATUSES: Readonly<Record<ScimReason, number>> = {
  invalidFilter: 400,
  invalidPath: 400,
  invalidSyntax: 400,
  invalidValue: 400,
  mutability: 400,
  noTarget: 400,
  tooMany: 400,
  uniqueness: 409,
};

/** Error codes of Muster that are an error type of the protocol. */
const REASONS: Readonly<Record<string, ScimReason>> = {
  already_exists: "uniqueness",
  invalid_request: "invalidValue",
  last_admin: "mutability",
};

/** The credentials that the API takes (RFC 6750 3). */
const BEARER = { "www-authenticate": 'Bearer realm="SCIM"' };

/** Answers failed requests in the form of RFC 7644 3.12. */
export function answerScimError(tools: { logger: Logger; isUnavailable: (error: unknown) => boolean }) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = error instanceof ScimRefusal ? error : undefined;
    const problem = problemOf(error, request.id, tools.isUnavailable);
    const status = refusal ? STATUSES[refusal.reason] : problem.status;
    if (!refusal && problem.unforeseen) logUnforeseen(tools.logger, error, request);
    const reason = refusal?.reason ?? REASONS[problem.body.error];
    return reply
      .code(status)
      .headers({ ...(refusal ? {} : problem.headers), ...(status === 401 && BEARER), "x-request-id": request.id })
      .type("application/scim+json; charset=utf-8")
      .send({
        schemas: [ERROR_SCHEMA],
        status: String(status),
        ...(reason && { scimType: reason }),
        detail: refusal?.message ?? problem.body.message,
      });
  };
}
