import type { ApiRequest } from "../audit/audit.ts";
import type { Scope } from "./keys/scopes.ts";

export type Role = "admin" | "operator" | "viewer";
/** Each role may do what those after it may. */
export const ROLES: readonly Role[] = ["admin", "operator", "viewer"];

/** What a caller may do. `system` is the owner of the machine, at its shell. */
export type Rights =
  | { kind: "key"; keyId: string; scopes: ReadonlySet<Scope> }
  | { kind: "user"; userId: string; role: Role }
  | { kind: "system" };

/** Who asks, and for which tenant: the first argument of every use case. */
export interface Caller {
  tenantId: string;
  tenantSlug: string;
  /** As audit entries print it: `apikey:<id>`, `user:<id>`, `claim:<id>`, `device:<id>` or `system`. */
  actor: string;
  rights: Rights;
  /** The address the request came from, where there is one. */
  address?: string;
  /** The request of an API key that writes: what the API audit log notes of it. */
  request?: ApiRequest;
}

/**
 * The user whose group memberships bound what the caller sees of devices; `undefined` for a caller who sees them all
 * (docs/spec-decisions.md, records).
 */
export function boundedToGroupsOf(caller: Caller): string | undefined {
  const { rights } = caller;
  return rights.kind === "user" && rights.role !== "admin" ? rights.userId : undefined;
}

/** The id of the API key with which the caller asks. @throws Error for a caller without one */
export function keyIdOf({ rights, actor }: Caller): string {
  if (rights.kind !== "key") throw new Error(`${actor} asks without an API key`);
  return rights.keyId;
}
