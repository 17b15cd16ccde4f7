import { t } from "#texts/parts.ts";

/** The error body of every answer (docs/api-conventions.md, Errors). */
interface ErrorBody {
  error: string;
  message: string;
  requestId?: string;
  /** The offending value or field. */
  detail?: string;
  /** Every problem that validation found. */
  details?: readonly { in: "path" | "query" | "body"; pointer: string; message: string }[];
  retryAfterSeconds?: number;
  [more: string]: unknown;
}

/** An unsuccessful answer of the service; `message` is the service's sentence. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** 0 without an answer. */
  readonly status: number;
  readonly code: string;
  readonly body: ErrorBody;
  /** The time to wait before another attempt, if the service states it. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    super(body.message);
    this.status = status;
    this.code = body.error;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the problem of a request without an answer: a network fault, or a service that restarts. */
export function noAnswer(): Problem {
  return new Problem(0, {
    error: "no_answer",
    message: t.noAnswer,
  });
}

/** Returns the problem that `response` reports. */
export function problemOf(response: Response, body: unknown): Problem {
  const wait = Number(response.headers.get("retry-after"));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : undefined;
  if (isErrorBody(body)) return new Problem(response.status, body, retryAfter);
  const message = t.unreadableAnswer(response.status);
  return new Problem(response.status, { error: "unreadable_answer", message }, retryAfter);
}

/** Whether a later attempt may succeed. */
export function isTemporary({ status }: Problem): boolean {
  return status === 0 || status === 429 || status === 502 || status === 503;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "error" in body && "message" in body;
}
