import { MusterError } from "../lib/errors.ts";
import { LIMITS, type QuotaName } from "../lib/limits/limits.ts";
import type { LeastRole, Role } from "./caller.ts";
import type { Scope } from "./keys/scopes.ts";

/** What the holder of an API key, or a signed-in user (`insufficient_role`), can be answered. */
export type AccessErrorCode =
  | "invalid_api_key"
  | "insufficient_scope"
  | "insufficient_role"
  | "quota_exceeded"
  | "last_admin"
  | "last_operator"
  | "factor_missing";

/** One answer for every reason, so that nothing is learned about a key by trying (spec 7). */
export function invalidApiKey(): MusterError<"invalid_api_key"> {
  return new MusterError(
    "invalid_api_key",
    "the API key is missing, malformed, unknown, revoked or expired, or the user who made it was deactivated, deleted or given a new password; send the key in the header X-API-Key",
  );
}

/** The API key lacks `scope`; without one there is no scope that would do (spec 5 rule 6). */
export function insufficientScope(scope: Scope | undefined): MusterError<"insufficient_scope"> {
  if (scope === undefined) return new MusterError("insufficient_scope", "no API key may do this");
  return new MusterError("insufficient_scope", `this needs the scope ${scope}`, { detail: scope });
}

/** The API key has the scope, and its owner had the role for it when the key was made. */
export function ownerLacksRole(scope: Scope, role: Role): MusterError<"insufficient_scope"> {
  const now = role === "operator" ? "an operator" : `a ${role}`;
  const sentence = `the owner of this key is ${now} now, whose role does not allow what the scope ${scope} is needed for here`;
  return new MusterError("insufficient_scope", sentence, { detail: scope });
}

/** The user's role is less than `role`; without one there is no role that would do. `what` names the part that is refused. */
export function insufficientRole(role: LeastRole | undefined, what = "this"): MusterError<"insufficient_role"> {
  if (role === "platform")
    return new MusterError("insufficient_role", `${what} is done by users who run the installation`, { detail: role });
  if (role === undefined) return new MusterError("insufficient_role", `${what} is done from the shell only`);
  return new MusterError("insufficient_role", `${what} needs the role ${role}`, { detail: role });
}

/** The tenant would have no admin who can sign in. */
export function lastAdmin(): MusterError<"last_admin"> {
  return new MusterError("last_admin", "this is the last active admin of the tenant: make another user an admin first");
}

/** No user who can sign in would run the installation. */
export function lastOperator(): MusterError<"last_operator"> {
  return new MusterError(
    "last_operator",
    "this is the last active user who runs the installation: let another admin run it first with muster user platform",
  );
}

/** A rule that its maker does not keep would shut the maker out of everything but keeping it. */
export function factorMissing(): MusterError<"factor_missing"> {
  return new MusterError("factor_missing", "set up a second factor of your own first, on the page of your account");
}

/** The tenant would have more than its quota allows. */
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
