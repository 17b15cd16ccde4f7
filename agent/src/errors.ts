/** Codes of failures without a code of the server (spec 7 lists those). */
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

/** What is known about a failure beyond its message. */
export interface AgentErrorDetails {
  /** HTTP status, when the server answered. */
  status?: number;
  requestId?: string;
  /** The machine-readable part of the server's error body. */
  detail?: string;
  /** The server's `Retry-After`, in milliseconds. */
  retryAfterMs?: number;
  /** Whether the server may have executed the request although no answer arrived. */
  unanswered?: boolean;
  /** Reason code of MQTT 5, when the broker answered; that of MQTT 3.1.1 as the one of MQTT 5 that means the same. */
  reasonCode?: number;
  /** Another server that the broker refers to. */
  serverReference?: string;
  cause?: unknown;
}

/**
 * Every failure this package reports. `code` is either one of the server's codes (`claim_expired`, `cert_invalid`, …)
 * or a {@link LocalCode}.
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

/** `error` as an {@link AgentError}; any other error keeps its message under the code `internal_error`. */
export function asAgentError(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AgentError("internal_error", message, { cause: error });
}

/** Whether repeating the request later can help: no route, overload, or a failure of the server. */
export function isTransient(error: AgentError): boolean {
  if (error.code === "unreachable") return true;
  return error.status !== undefined && (error.status === 429 || error.status >= 500);
}
