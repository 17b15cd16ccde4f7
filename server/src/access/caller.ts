import type { ApiRequest } from "../audit/audit.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { Scope } from "./keys/scopes.ts";

export type Role = "admin" | "operator" | "viewer";
/** The roles, each of which includes the rights of those after it. */
export const ROLES: readonly Role[] = ["admin", "operator", "viewer"];
/** The least role that a use case requires of a user; `platform` is a right that a user has besides the role. */
export type LeastRole = Role | "platform";

/**
 * The rights of a caller. `system` is the owner of the machine, at its shell.
 * `platform`: the user also runs the installation. `sessionId`: the session of the request.
 * `owner`: the user whose current role and visible devices bound the rights of the key.
 */
export type Rights =
  | { kind: "key"; keyId: string; scopes: ReadonlySet<Scope>; owner: { userId: string; role: Role } }
  | { kind: "user"; userId: string; role: Role; platform?: boolean; sessionId?: string }
  | { kind: "system" };

/** The caller and the tenant it acts for: the first argument of every use case. */
export interface Caller {
  tenantId: string;
  tenantSlug: string;
  /** The name in audit entries: `apikey:<id>`, `user:<id>`, `claim:<id>`, `device:<id>` or `system`. */
  actor: string;
  rights: Rights;
  /** The address that the request came from, if known. */
  address?: string;
  /** The HTTPS request, if it writes. */
  request?: ApiRequest;
}

/**
 * Returns the user whose group memberships bound the devices that the caller sees; for a key, its owner. Returns
 * `undefined` for a caller who sees all devices (docs/spec-decisions.md, records).
 */
export function boundedToGroupsOf(caller: Caller): string | undefined {
  const { rights } = caller;
  if (rights.kind === "system") return undefined;
  const { userId, role } = rights.kind === "key" ? rights.owner : rights;
  return role === "admin" ? undefined : userId;
}

/** Returns the requester over HTTPS: the API key by its id, or the user. @throws Error for any other caller */
export function requesterOf({ rights, actor }: Caller): Pick<ApiRequest, "holder" | "by"> {
  if (rights.kind === "key") return { holder: rights.keyId, by: "key" };
  if (rights.kind === "user") return { holder: actor, by: "user" };
  throw new Error(`${actor} has neither an API key nor a session`);
}

/** Returns the API key of the caller. @throws Error for any other caller */
export function keyOf({ rights, actor }: Caller): KeyRights {
  if (rights.kind === "key") return rights;
  throw new Error(`${actor} has no API key`);
}

/**
 * Returns the id of the calling API key, for work of a key on itself.
 *
 * @throws MusterError invalid_request for any other caller
 */
export function ownKeyOf({ rights }: Caller): string {
  if (rights.kind === "key") return rights.keyId;
  throw invalidRequest("Only an API key can read or rotate itself.");
}

type KeyRights = Extract<Rights, { kind: "key" }>;

/**
 * Returns the calling user, for records that belong to a user.
 *
 * @throws MusterError invalid_request for any other caller
 */
export function ownUserOf({ rights }: Caller): string {
  if (rights.kind === "user") return rights.userId;
  throw invalidRequest("Only a signed-in user has records of their own.");
}

/** Returns the id of the calling user, or `null` for other callers. */
export function userIdOf({ rights }: Caller): string | null {
  return rights.kind === "user" ? rights.userId : null;
}

/** Returns the session of the calling user, or `undefined` for other callers. */
export function sessionIdOf({ rights }: Caller): string | undefined {
  return rights.kind === "user" ? rights.sessionId : undefined;
}
