import type { ApiRequest } from "../audit/audit.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { Scope } from "./keys/scopes.ts";

export type Role = "admin" | "operator" | "viewer";
/** Each role may do what those after it may. */
export const ROLES: readonly Role[] = ["admin", "operator", "viewer"];
/** The least that a use case asks of a user; `platform` is asked of a user besides any role. */
export type LeastRole = Role | "platform";

/**
 * What a caller may do. `system` is the owner of the machine, at its shell. `platform`: the user runs the installation besides.
 * `sessionId`: the session in which the user asks. `owner`: the user whose present role and visible devices bound what the key may do.
 */
export type Rights =
  | { kind: "key"; keyId: string; scopes: ReadonlySet<Scope>; owner: { userId: string; role: Role } }
  | { kind: "user"; userId: string; role: Role; platform?: boolean; sessionId?: string }
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
  /** The request over HTTPS that writes. */
  request?: ApiRequest;
}

/**
 * The user whose group memberships bound what the caller sees of devices, for a key its owner; `undefined` for a caller who sees them all
 * (docs/spec-decisions.md, records).
 */
export function boundedToGroupsOf(caller: Caller): string | undefined {
  const { rights } = caller;
  if (rights.kind === "system") return undefined;
  const { userId, role } = rights.kind === "key" ? rights.owner : rights;
  return role === "admin" ? undefined : userId;
}

/** Who asks over HTTPS: the API key by its id, or the user. @throws Error for a caller who is neither */
export function requesterOf({ rights, actor }: Caller): Pick<ApiRequest, "holder" | "by"> {
  if (rights.kind === "key") return { holder: rights.keyId, by: "key" };
  if (rights.kind === "user") return { holder: actor, by: "user" };
  throw new Error(`${actor} asks without an API key or a session`);
}

/** The API key that asks. @throws Error for another caller */
export function keyOf({ rights, actor }: Caller): KeyRights {
  if (rights.kind === "key") return rights;
  throw new Error(`${actor} asks without an API key`);
}

type KeyRights = Extract<Rights, { kind: "key" }>;

/** The user who asks, for what belongs to a user. @throws MusterError invalid_request for a caller who is no user */
export function ownUserOf({ rights }: Caller): string {
  if (rights.kind === "user") return rights.userId;
  throw invalidRequest("Only a signed-in user has records of their own.");
}

/** The user who asks; `null` for other callers. */
export function userIdOf({ rights }: Caller): string | null {
  return rights.kind === "user" ? rights.userId : null;
}

/** The session in which a user asks; `undefined` for other callers. */
export function sessionIdOf({ rights }: Caller): string | undefined {
  return rights.kind === "user" ? rights.sessionId : undefined;
}
