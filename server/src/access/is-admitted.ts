import { isMusterError } from "../lib/errors.ts";
import type { Caller } from "./caller.ts";
import { type AccessRule, requireMay } from "./use-case.ts";

/**
 * Returns whether `caller` may run a use case. Combined responses use it to leave out parts that the caller may not
 * see.
 */
export function isAdmitted(
  caller: Caller,
  { declaration }: { readonly declaration: { readonly may: AccessRule } },
): boolean {
  try {
    requireMay(caller, declaration.may);
    return true;
  } catch (error) {
    if (isMusterError(error, "insufficient_role", "insufficient_scope")) return false;
    throw error;
  }
}
