import { MusterError } from "../lib/errors.ts";

export type AccessErrorCode = "invalid_api_key" | "insufficient_scope";

/** One answer for every reason, so that nothing is learned about a key by trying (spec 7). */
export function invalidApiKey(): MusterError<"invalid_api_key"> {
  return new MusterError(
    "invalid_api_key",
    "the API key is missing, malformed, unknown, revoked or expired, or the user who made it was deactivated, deleted or given a new password",
  );
}

/** The caller may not do this; `scope` is what it would need (spec 5 rule 6). */
export function insufficientScope(scope: string): MusterError<"insufficient_scope"> {
  return new MusterError("insufficient_scope", `this needs the scope ${scope}`, { detail: scope });
}
