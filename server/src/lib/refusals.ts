import { MusterError } from "./errors.ts";

/** Refusals that every feature may need; those of one feature alone live in its own `errors.ts`. */
export type CommonErrorCode = "invalid_request" | "not_found" | "already_exists" | "precondition_failed";

/** The request itself is wrong; `detail` is the offending value when it is an id or a name (never a secret). */
export function invalidRequest(message: string, detail?: string): MusterError<"invalid_request"> {
  return new MusterError("invalid_request", message, detail === undefined ? {} : { detail });
}

/** Unknown, or another tenant's: the two are told apart nowhere (docs/api-conventions.md). */
export function notFound(what: string): MusterError<"not_found"> {
  return new MusterError("not_found", `There is no such ${what}.`);
}

/** The name is taken already; `detail` is the name. */
export function alreadyExists(message: string, detail: string): MusterError<"already_exists"> {
  return new MusterError("already_exists", message, { detail });
}

/** The record is not the one that `If-Match` (RFC 9110 13.1.1), or another `detail`, names: someone changed it meanwhile. */
export function preconditionFailed(detail = "If-Match"): MusterError<"precondition_failed"> {
  return new MusterError("precondition_failed", "the record has changed since; read it again and repeat", { detail });
}
