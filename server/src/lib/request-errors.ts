import { MusterError } from "./errors.ts";

/** The codes of errors that every feature may throw; those of a single feature are in its `errors.ts`. */
export type CommonErrorCode =
  | "invalid_request"
  | "not_found"
  | "already_exists"
  | "in_use"
  | "precondition_failed"
  | "rate_limited";

/**
 * Returns the error of an invalid request. `detail` is the offending value if it is an id or a name, never a secret.
 */
export function invalidRequest(message: string, detail?: string): MusterError<"invalid_request"> {
  return new MusterError("invalid_request", message, detail === undefined ? {} : { detail });
}

/**
 * Returns the error of a record that is unknown or belongs to another tenant: no answer distinguishes the two
 * (docs/api-conventions.md). `detail` is the requested name.
 */
export function notFound(what: string, detail?: string): MusterError<"not_found"> {
  return new MusterError("not_found", `There is no such ${what}.`, detail === undefined ? {} : { detail });
}

/** Returns the error of a name that another record has; `detail` is the name. */
export function alreadyExists(message: string, detail: string): MusterError<"already_exists"> {
  return new MusterError("already_exists", message, { detail });
}

/** Returns the error of an external id that another record of the kind has. */
export function externalIdTaken(externalId: string | null | undefined): MusterError<"already_exists"> {
  return alreadyExists("another record of this kind has this externalId", externalId ?? "externalId");
}

/** Returns the error of a record that other records refer to; `numbers` says how many. */
export function inUse(message: string, numbers: object): MusterError<"in_use"> {
  return new MusterError("in_use", message, { extra: { ...numbers } });
}

/**
 * Returns the error of a failed optimistic lock: the record is not at the version that `If-Match` (RFC 9110 13.1.1), or
 * another field (`detail`), names.
 */
export function preconditionFailed(detail = "If-Match"): MusterError<"precondition_failed"> {
  return new MusterError("precondition_failed", "the record has changed since; read it again and repeat", { detail });
}

/** Returns the error of an exceeded rate; the next request is admitted after `retryAfterSeconds`. */
export function rateLimited(message: string, retryAfterSeconds: number): MusterError<"rate_limited"> {
  return new MusterError("rate_limited", message, { extra: { retryAfterSeconds } });
}
