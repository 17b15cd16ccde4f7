/** The codes of failures for which the server has no code (spec 7 lists the server's). */
export type LocalCode =
  | "unreachable"
  | "untrusted_server"
  | "refused"
  | "revoked"
  | "busy"
  | "use_another_server"
  | "message_refused"
  | "not_acknowledged"
  | "subscription_refused"
  | "bad_response"
  | "bad_argument"
  | "not_enrolled"
  | "state_damaged"
  | "state_locked"
  | "topic_not_authorised"
  | "message_too_large"
  | "dropped"
  | "closed";

/** Details of a failure beyond its message. */
export interface AgentErrorDetails {
  /** The HTTP status, if the server answered. */
  status?: number;
  requestId?: string;
  /** The machine-readable part of the server's error body. */
  detail?: string;
  /** The server's `Retry-After`, in milliseconds. */
  retryAfterMs?: number;
  /** Whether the server may have executed the request although no answer arrived. */
  unanswered?: boolean;
  /**
   * The MQTT 5 reason code, if the broker answered; MQTT 3.1.1 return codes are converted to their MQTT 5 equivalent.
   */
  reasonCode?: number;
  /** Another server to which the broker refers. */
  serverReference?: string;
  cause?: unknown;
}

/**
 * Every failure reported by this package. `code` is either one of the server's codes (`claim_expired`, `cert_invalid`,
 * …) or a {@link LocalCode}.
 */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly code: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly unanswered: boolean;
  readonly reasonCode: number | undefined;
  readonly serverReference: string | undefined;

  constructor(code: LocalCode | (string & {}), message: string, more: AgentErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = more.status;
    this.requestId = more.requestId;
    this.detail = more.detail;
    this.retryAfterMs = more.retryAfterMs;
    this.unanswered = more.unanswered ?? false;
    this.reasonCode = more.reasonCode;
    this.serverReference = more.serverReference;
  }
}

/** Returns `error` as an {@link AgentError}; any other error keeps its message under the code `internal_error`. */
export function asAgentError(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AgentError("internal_error", message, { cause: error });
}

/** Reports whether a later retry can help: no route, overload, or a server failure. */
export function isTransient(error: AgentError): boolean {
  if (error.code === "unreachable") return true;
  return error.status !== undefined && (error.status === 429 || error.status >= 500);
}
