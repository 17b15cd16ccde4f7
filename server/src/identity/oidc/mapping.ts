import { ROLES, type Role } from "../../access/access.ts";
import type { MappingRule } from "./provider-store.ts";

/** The rights that the provider grants a person; no role if none of its values is mapped. */
export interface Grant {
  role: Role | undefined;
  groupIds: ReadonlySet<string>;
}

/**
 * Returns what the values of a claim grant: the highest role of all matching rules, and the groups of all of them. A
 * claim is a text, or a list of texts; any other value matches nothing.
 */
export function grantOf(rules: readonly MappingRule[], claim: unknown): Grant {
  const values = new Set((Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === "string"));
  const matching = rules.filter(({ value }) => values.has(value));
  const role = ROLES.find((each) => matching.some((rule) => rule.role === each));
  return { role, groupIds: new Set(matching.flatMap(({ groupIds }) => groupIds)) };
}

/** Returns the value of a claim; dots lead into objects (`realm_access.roles`), unless a claim has the whole name. */
export function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((at, step) => {
    const isObject = typeof at === "object" && at !== null && Object.hasOwn(at, step);
    return isObject ? (at as Record<string, unknown>)[step] : undefined;
  }, claims);
}
