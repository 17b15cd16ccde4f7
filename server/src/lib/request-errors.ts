import { MusterError } from "./errors.ts";

/** Errors that every feature may throw; those of a single feature are in its `errors.ts`. */
export type CommonErrorCode =
  | "invalid_request"
  | "not_found"
  | "already_exists"
  | "in_use"
  | "precondition_failed"
  | "rate_limited";

/** The request itself is invalid. `detail` is the offending value when it is an id or a name, never a secret. */
export function invalidRequest(message: string, detail?: string): MusterError<"invalid_request"> {
  return new MusterError("invalid_request", message, detail === undefined ? {} : { detail });
}

/** Unknown, or of another tenant: no answer distinguishes the two (docs/api-conventions.md). `detail` is the name that was asked for. */
export function notFound(what: string, detail?: string): MusterError<"not_found"> {
  return new MusterError("not_found", `There is no such ${what}.`, detail === undefined ? {} : { detail });
}

/** Another record has this name; `detail` is the name. */
export function alreadyExists(message: string, detail: string): MusterError<"already_exists"> {
  return new MusterError("already_exists", message, { detail });
}

/** Other records refer to this one; `numbers` says how many. */
export function inUse(message: string, numbers: object): MusterError<"in_use"> {
  return new MusterError("in_use", message, { extra: { ...numbers } });
}

/** Optimistic lock: the record is not the version that `If-Match` (RFC 9110 13.1.1), or another field (`detail`), names. */
export function preconditionFailed(detail = "If-Match"): MusterError<"precondition_failed"> {
  return new MusterError("precondition_failed", "the record has changed since; read it again and repeat", { detail });
}

/** Too many of something in a time; one more is admitted after `retryAfterSeconds`. */
export function rateLimited(message: string, retryAfterSeconds: number): MusterError<"rate_limited"> {
  return new MusterError("rate_limited", message, { extra: { retryAfterSeconds } });
}
