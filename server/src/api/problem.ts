import type { AccessErrorCode } from "../access/errors.ts";
import type { AuditErrorCode } from "../audit/errors.ts";
import type { CertificatesErrorCode } from "../certificates/errors.ts";
import type { ConnectionsErrorCode } from "../connections/errors.ts";
import type { EnrollmentErrorCode } from "../enrollment/errors.ts";
import type { EventsErrorCode } from "../events/errors.ts";
import type { IdentityErrorCode } from "../identity/errors.ts";
import { isMusterError, MusterError } from "../lib/errors.ts";
import type { CommonErrorCode } from "../lib/request-errors.ts";
import type { NotificationsErrorCode } from "../notifications/errors.ts";
import type { TicketsErrorCode } from "../tickets/errors.ts";

/** The layer that refused a request (docs/api-conventions.md, Errors). */
export type Middleware = "router" | "authentication" | "authorization" | "rate-limit" | "validation" | "handler";

/** The codes of the HTTPS surface itself. */
type SurfaceErrorCode =
  | "method_not_allowed"
  | "request_timeout"
  | "payload_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "foreign_origin"
  | "session_required"
  | "sign_in_incomplete"
  | "reauthentication_required"
  | "headers_too_large"
  | "internal_error"
  | "catalog_unavailable";

/**
 * Every error code. A feature with error codes of its own adds them here; the compiler then requires their statuses
 * below.
 */
type EveryErrorCode =
  | SurfaceErrorCode
  | CommonErrorCode
  | AccessErrorCode
  | AuditErrorCode
  | CertificatesErrorCode
  | ConnectionsErrorCode
  | EnrollmentErrorCode
  | EventsErrorCode
  | IdentityErrorCode
  | NotificationsErrorCode
  | TicketsErrorCode;

/**
 * Every error code of the HTTPS surface, with its status and layer (spec 7). Features know only codes; statuses are
 * defined only here. A code that is not listed is answered as an internal error.
 */
export const PROBLEMS = {
  invalid_request: { status: 400, middleware: "handler" },
  invalid_claim_request: { status: 400, middleware: "handler" },
  invalid_csr: { status: 400, middleware: "handler" },
  invalid_api_key: { status: 401, middleware: "authentication" },
  invalid_claim_code: { status: 401, middleware: "authentication" },
  reenrollment_proof_required: { status: 401, middleware: "authentication" },
  cert_invalid: { status: 401, middleware: "authentication" },
  session_required: { status: 401, middleware: "authentication" },
  invalid_credentials: { status: 401, middleware: "authentication" },
  foreign_origin: { status: 403, middleware: "authentication" },
  sign_in_incomplete: { status: 403, middleware: "authorization" },
  insufficient_role: { status: 403, middleware: "authorization" },
  reauthentication_required: { status: 403, middleware: "authorization" },
  sign_in_refused: { status: 403, middleware: "authentication" },
  sso_required: { status: 403, middleware: "authentication" },
  factor_required: { status: 403, middleware: "authentication" },
  address_not_allowed: { status: 403, middleware: "authentication" },
  insufficient_scope: { status: 403, middleware: "authorization" },
  not_found: { status: 404, middleware: "handler" },
  device_not_found: { status: 404, middleware: "handler" },
  certificate_not_found: { status: 404, middleware: "handler" },
  method_not_allowed: { status: 405, middleware: "router" },
  request_timeout: { status: 408, middleware: "router" },
  already_exists: { status: 409, middleware: "handler" },
  device_self_enrolled: { status: 409, middleware: "handler" },
  device_cert_cap_reached: { status: 409, middleware: "handler" },
  already_processed: { status: 409, middleware: "handler" },
  in_use: { status: 409, middleware: "handler" },
  last_admin: { status: 409, middleware: "handler" },
  last_operator: { status: 409, middleware: "handler" },
  factor_missing: { status: 409, middleware: "handler" },
  factor_mandatory: { status: 409, middleware: "handler" },
  challenge_expired: { status: 410, middleware: "authentication" },
  provider_untested: { status: 409, middleware: "handler" },
  quota_exceeded: { status: 409, middleware: "handler" },
  invalid_transition: { status: 409, middleware: "handler" },
  webhook_inactive: { status: 409, middleware: "handler" },
  client_id_in_use: { status: 409, middleware: "handler" },
  username_taken: { status: 409, middleware: "handler" },
  claim_exhausted: { status: 409, middleware: "handler" },
  claim_expired: { status: 410, middleware: "handler" },
  claim_revoked: { status: 410, middleware: "handler" },
  link_expired: { status: 410, middleware: "handler" },
  sign_in_flow_expired: { status: 410, middleware: "authentication" },
  cursor_expired: { status: 410, middleware: "handler" },
  precondition_failed: { status: 412, middleware: "handler" },
  payload_too_large: { status: 413, middleware: "validation" },
  unsupported_media_type: { status: 415, middleware: "validation" },
  expectation_failed: { status: 417, middleware: "router" },
  idempotency_key_reused: { status: 422, middleware: "handler" },
  sign_in_throttled: { status: 429, middleware: "rate-limit" },
  rate_limited: { status: 429, middleware: "rate-limit" },
  headers_too_large: { status: 431, middleware: "router" },
  internal_error: { status: 500, middleware: "handler" },
  issuance_failed: { status: 502, middleware: "handler" },
  provider_failed: { status: 502, middleware: "authentication" },
  catalog_unavailable: { status: 503, middleware: "handler" },
} as const satisfies Record<EveryErrorCode, { status: number; middleware: Middleware }>;

export type ErrorCode = keyof typeof PROBLEMS;

/** An error of the surface itself; its layer may differ from the usual one of the code. */
export class Refusal extends MusterError<ErrorCode> {
  readonly middleware: Middleware;

  constructor(
    code: ErrorCode,
    message: string,
    more: { middleware?: Middleware; detail?: string; extra?: Record<string, unknown> } = {},
  ) {
    super(code, message, more);
    this.middleware = more.middleware ?? PROBLEMS[code].middleware;
  }
}

export interface Problem {
  status: number;
  headers: Record<string, string>;
  body: { error: ErrorCode; middleware: Middleware; message: string; requestId: string; [field: string]: unknown };
  /** Whether to log the error, whose cause is not in the answer. */
  unforeseen: boolean;
}

/**
 * Returns the answer to a request that failed with `error`.
 *
 * @param isUnavailable returns whether the database cannot be reached or written
 */
export function problemOf(error: unknown, requestId: string, isUnavailable: (error: unknown) => boolean): Problem {
  if (isMusterError(error) && isErrorCode(error.code)) return known(error, error.code, requestId);
  // Checked before the database: a peer that disconnects in the middle of its body also causes ECONNRESET.
  const framework = frameworkRefusal(error);
  if (framework) return known(framework, framework.code, requestId);
  if (isUnavailable(error)) {
    return refused("catalog_unavailable", "the service cannot reach its database; retry shortly", requestId, true);
  }
  return refused("internal_error", "something went wrong; look up the request id in the log", requestId, true);
}

/** A 401 names the required credential (RFC 9110 11.6.1); no registered scheme fits these. */
const CERTIFICATE = 'ClientCertificate realm="muster"';
const SESSION = 'Session realm="muster"';
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'ApiKey realm="muster", header="X-API-Key"',
  invalid_claim_code: 'ClaimCode realm="muster"',
  session_required: SESSION,
  invalid_credentials: SESSION,
};

function known(error: MusterError, code: ErrorCode, requestId: string): Problem {
  const { status, middleware } = PROBLEMS[code];
  const headers: Record<string, string> = {};
  const { retryAfterSeconds, allow, ...extra } = error.extra ?? {};
  if (typeof retryAfterSeconds === "number") headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  if (typeof allow === "string") headers.allow = allow;
  if (status === 401) headers["www-authenticate"] = CHALLENGES[code] ?? CERTIFICATE;
  if (status === 503 || status === 502) headers["retry-after"] ??= "5";
  const common = {
    error: code,
    middleware: error instanceof Refusal ? error.middleware : middleware,
    message: error.message,
    requestId,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
  };
  // The common fields come first, and `extra` cannot replace them.
  return { status, headers, body: { ...common, ...extra, ...common }, unforeseen: status >= 500 };
}

function refused(code: ErrorCode, message: string, requestId: string, unforeseen: boolean): Problem {
  return { ...known(new Refusal(code, message), code, requestId), unforeseen };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** Converts errors of Fastify itself to refusals with our messages: its own texts are not shown. */
function frameworkRefusal(error: unknown): Refusal | undefined {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof code !== "string" || typeof statusCode !== "number" || statusCode >= 500) return undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Refusal("payload_too_large", "the body is larger than this endpoint accepts");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Refusal(
        "unsupported_media_type",
        "the body must be application/json (a PATCH may be application/merge-patch+json)",
      );
    case "FST_ERR_BAD_URL":
      return new Refusal("invalid_request", "the address is not well-formed", { middleware: "router" });
    default:
      return new Refusal("invalid_request", "the request could not be read", { middleware: "validation" });
  }
}
