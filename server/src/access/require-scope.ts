import type { Caller, Rights } from "./caller.ts";
import { insufficientScope } from "./errors.ts";
import type { Scope } from "./keys/scopes.ts";

/** Issuing identities is the administrators' affair. */
const ADMIN_ONLY: ReadonlySet<Scope> = new Set([
  "provisioning:write",
  "device-certificates:issue",
  "device-certificates:revoke",
]);

/** Throws `insufficient_scope` unless the caller's rights hold `scope` (spec 5 rule 6). */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!allows(caller.rights, scope)) throw insufficientScope(scope);
}

function allows(rights: Rights, scope: Scope): boolean {
  switch (rights.kind) {
    case "system":
      return true;
    case "key":
      return rights.scopes.has(scope);
    case "user":
      if (rights.role === "admin") return true;
      return rights.role === "operator" ? !ADMIN_ONLY.has(scope) : scope.endsWith(":read");
  }
}
