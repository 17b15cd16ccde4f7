import { isMusterError } from "../lib/errors.ts";
import type { Caller } from "./caller.ts";
import { type AccessRule, requireMay } from "./use-case.ts";

/** Whether `caller` may run a use case: for an answer of several use cases that leaves out what the caller may not see. */
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
