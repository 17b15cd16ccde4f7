import { MusterError } from "../lib/errors.ts";
import { LIMITS, type QuotaName } from "../lib/limits/limits.ts";
import type { LeastRole, Role } from "./caller.ts";
import type { Scope } from "./keys/scopes.ts";

/** The error codes for API keys and, with `insufficient_role`, for signed-in users. */
export type AccessErrorCode =
  | "invalid_api_key"
  | "address_not_allowed"
  | "insufficient_scope"
  | "insufficient_role"
  | "quota_exceeded"
  | "last_admin"
  | "last_operator"
  | "factor_missing";

/** Returns the same error for every reason, so that probing reveals nothing about a key (spec 7). */
export function invalidApiKey(): MusterError<"invalid_api_key"> {
  return new MusterError(
    "invalid_api_key",
    "the API key is missing, malformed, unknown, revoked or expired, or the user who made it was deactivated, deleted or given a new password; send the key in the header X-API-Key",
  );
}

/** Returns the error for a key of a service account that is used from outside the account's address ranges. */
export function addressNotAllowed(address: string): MusterError<"address_not_allowed"> {
  const sentence = `the service account of this key admits requests from its address ranges only, and ${address} is in none of them`;
  return new MusterError("address_not_allowed", sentence, { detail: address });
}

/** Returns the error for a key without `scope`; `undefined` means that no scope would suffice (spec 5 rule 6). */
export function insufficientScope(scope: Scope | undefined): MusterError<"insufficient_scope"> {
  if (scope === undefined) return new MusterError("insufficient_scope", "no API key may do this");
  return new MusterError("insufficient_scope", `this needs the scope ${scope}`, { detail: scope });
}

/** Returns the error for a key whose scope suffices but whose owner has since lost the role for it. */
export function ownerLacksRole(scope: Scope, role: Role): MusterError<"insufficient_scope"> {
  const now = role === "operator" ? "an operator" : `a ${role}`;
  const sentence = `the owner of this key is now ${now}, a role that does not allow this use of the scope ${scope}`;
  return new MusterError("insufficient_scope", sentence, { detail: scope });
}

/**
 * Returns the error for a user whose role is below `role`; `undefined` means that no role would suffice. `what` names
 * the refused part.
 */
export function insufficientRole(role: LeastRole | undefined, what = "this"): MusterError<"insufficient_role"> {
  if (role === "platform")
    return new MusterError("insufficient_role", `${what} is only for users who run the installation`, { detail: role });
  if (role === undefined) return new MusterError("insufficient_role", `${what} can only be done from the shell`);
  return new MusterError("insufficient_role", `${what} needs the role ${role}`, { detail: role });
}

/** Returns the error for a change that would leave the tenant without an admin who can sign in. */
export function lastAdmin(): MusterError<"last_admin"> {
  return new MusterError("last_admin", "this is the last active admin of the tenant: make another user an admin first");
}

/** Returns the error for a change that would leave the installation without a user who runs it and can sign in. */
export function lastOperator(): MusterError<"last_operator"> {
  return new MusterError(
    "last_operator",
    "this is the last active user who runs the installation: let another admin run it first with muster user platform",
  );
}

/** Returns the error for a rule that would lock its author out of everything except setting up a factor. */
export function factorMissing(): MusterError<"factor_missing"> {
  return new MusterError("factor_missing", "set up a second factor of your own first, on the page of your account");
}

/** Returns the error for an addition that would exceed the tenant's quota. */
export function quotaExceeded(
  quota: QuotaName,
  { used, value }: { used: number; value: number },
  adding: number,
): MusterError<"quota_exceeded"> {
  const [after, most] = [(used + adding).toLocaleString("en"), value.toLocaleString("en")];
  return new MusterError(
    "quota_exceeded",
    `The tenant would have ${after} ${LIMITS[quota].of}; its quota ${quota} allows ${most}. Delete what is not needed, or have the quota raised with muster tenant quota.`,
    { extra: { quota, limit: value } },
  );
}
