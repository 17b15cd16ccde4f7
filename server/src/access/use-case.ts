import { type Caller, type LeastRole, type Rights, ROLES, type Role } from "./caller.ts";
import { insufficientRole, insufficientScope, ownerLacksRole } from "./errors.ts";
import type { Scope } from "./keys/scopes.ts";

/**
 * Who may run a use case: API keys that hold `scope` (absent: no API key) and whose owner has `role`, signed-in users of at least `role` (absent: no user;
 * `platform`: the users who run the installation).
 * `system` rights, the shell of the machine's owner, always may; the rule `{}` admits no other caller.
 */
export interface AccessRule {
  readonly scope?: Scope;
  readonly role?: LeastRole;
}

/** An operation of a feature that a caller asks for. It checks `may` before anything else. */
export interface UseCase<Deps, Args extends unknown[], Result> {
  (deps: Deps, caller: Caller, ...args: Args): Promise<Result>;
  readonly may: AccessRule;
}

// biome-ignore lint/suspicious/noExplicitAny: stands for a use case whatever it takes and answers
export type AnyUseCase = UseCase<any, any, unknown>;

/** Declares a use case: who may run it, and what it does. */
export function useCase<Deps, Args extends unknown[], Result>(
  may: AccessRule,
  run: (deps: Deps, caller: Caller, ...args: Args) => Promise<Result>,
): UseCase<Deps, Args, Result> {
  const checked = async (deps: Deps, caller: Caller, ...args: Args) => {
    requireMay(caller, may);
    return await run(deps, caller, ...args);
  };
  return Object.assign(checked, { may });
}

/**
 * Checks a rule. A use case checks its own; what it does only for some callers it checks by a further rule.
 *
 * @param what names that part in the refusal of a user
 * @throws MusterError insufficient_scope (API keys), insufficient_role (users) unless `rule` admits the caller
 */
export function requireMay({ rights }: Caller, rule: AccessRule, what?: string): void {
  switch (rights.kind) {
    case "system":
      return;
    case "key":
      if (rule.scope === undefined || !rights.scopes.has(rule.scope)) throw insufficientScope(rule.scope);
      if (!isWithinRole(rule, rights.owner.role)) throw ownerLacksRole(rule.scope, rights.owner.role);
      return;
    case "user":
      if (!admitsUser(rule, rights)) throw insufficientRole(rule.role, what);
  }
}

/** Whether an owner of this role could do by themselves what the rule admits a key to. What no user may is for keys of admins. */
function isWithinRole({ role = "admin" }: AccessRule, owner: Role): boolean {
  return role !== "platform" && includesRole(owner, role);
}

/** Whether a rule admits a user. */
export function admitsUser({ role }: AccessRule, user: Pick<UserRights, "role" | "platform">): boolean {
  if (role === "platform") return user.platform === true;
  return role !== undefined && includesRole(user.role, role);
}

type UserRights = Extract<Rights, { kind: "user" }>;

/** Whether `role` may do what `least` may: each role includes those after it in {@link ROLES}. */
export function includesRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(least);
}
