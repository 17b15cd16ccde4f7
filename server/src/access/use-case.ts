import { type Caller, type LeastRole, type Rights, ROLES, type Role } from "./caller.ts";
import { insufficientRole, insufficientScope, ownerLacksRole } from "./errors.ts";
import type { Scope } from "./keys/scopes.ts";

/**
 * The rule that says who may run a use case.
 * API keys need `scope` and an owner with `role`; without `scope` no API key is admitted.
 * Signed-in users need at least `role`; without `role` no user is admitted, and `platform` admits the users who run the
 * installation.
 * The shell (`system` rights) is always admitted; the rule `{}` admits no other caller.
 */
export interface AccessRule {
  readonly scope?: Scope;
  readonly role?: LeastRole;
}

/** An operation of a feature on behalf of a caller. It checks `may` before anything else. */
export interface UseCase<Deps, Args extends unknown[], Result> {
  (deps: Deps, caller: Caller, ...args: Args): Promise<Result>;
  readonly may: AccessRule;
}

// biome-ignore lint/suspicious/noExplicitAny: any use case, whatever its arguments and result
export type AnyUseCase = UseCase<any, any, unknown>;

/** Declares a use case: its access rule and its work. */
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
 * Checks a rule. A use case checks its own rule, and a further one for work that only some callers may request.
 *
 * @param what names that work in the error message for a user
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

/**
 * Returns whether an owner of this role could do in person what the rule admits a key to. A rule without a role is for
 * work of a key on itself.
 */
function isWithinRole({ role = "viewer" }: AccessRule, owner: Role): boolean {
  return role !== "platform" && includesRole(owner, role);
}

/** Returns whether a rule admits a user. */
export function admitsUser({ role }: AccessRule, user: Pick<UserRights, "role" | "platform">): boolean {
  if (role === "platform") return user.platform === true;
  return role !== undefined && includesRole(user.role, role);
}

type UserRights = Extract<Rights, { kind: "user" }>;

/** Returns whether `role` includes the rights of `least`: each role includes those after it in {@link ROLES}. */
export function includesRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(least);
}
