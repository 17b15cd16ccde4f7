import { createAdmissions } from "./admissions.ts";
import { type Admission, admitRequest } from "./admit-request.ts";
import type { Caller } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { userIdsByEmail } from "./find-users.ts";
import { createLastUsed } from "./last-used.ts";
import { createKey, type NewKey, revokeKey } from "./manage-keys.ts";
import { createTenant, setTelemetryRetention, systemCaller } from "./manage-tenants.ts";
import { createUser, deactivateUser, deleteUser, type NewUser, reactivateUser, resetPassword } from "./manage-users.ts";
import { pruneWindows, WINDOW_MS } from "./rate-limit-store.ts";
import { createRequestClock } from "./request-clock.ts";
import { type KeyRecord, listKeys, listUsers, type UserRecord } from "./view-access.ts";

export type { Admission } from "./admit-request.ts";
export {
  type Bound,
  type BoundFunctions,
  type BoundService,
  type BoundUseCase,
  bind,
  boundFunctions,
  type Declaration,
} from "./bind.ts";
export { boundedToGroupsOf, type Caller, keyIdOf, type Rights, ROLES, type Role } from "./caller.ts";
export { revokeAllKeys } from "./key-store.ts";
export { hashPassword, makePassword, verifyPassword } from "./password.ts";
export { requireScope } from "./require-scope.ts";
export { SCOPES, type Scope } from "./scopes.ts";
export { type AccessRule, type AnyUseCase, requireMay, type UseCase, useCase } from "./use-case.ts";
export { type Viewer, visibleDevice } from "./visible-device-store.ts";

/** Tenants, users and API keys: who may do what (spec 5). */
export interface Access {
  createTenant(input: { slug: string; name: string }): Promise<{ id: string; slug: string; name: string }>;
  /** Says how long the tenant keeps the telemetry that arrives from now on. */
  setTelemetryRetention(slug: string, days: number): Promise<void>;
  /** The caller for a command at the machine's own shell. */
  systemCaller(slug: string): Promise<Caller>;
  createUser(input: NewUser): Promise<{ id: string; email: string; password: string }>;
  deactivateUser(email: string): Promise<void>;
  reactivateUser(email: string): Promise<void>;
  deleteUser(email: string): Promise<void>;
  resetPassword(email: string): Promise<{ password: string }>;
  /** The ids of the tenant's users with these addresses. */
  userIdsByEmail(caller: Caller, emails: readonly string[]): Promise<string[]>;
  /** The tenant's users who are not deleted, newest first. */
  listUsers(caller: Caller): Promise<UserRecord[]>;
  createKey(input: NewKey): Promise<{ id: string; key: string }>;
  revokeKey(id: string): Promise<void>;
  /** Every API key of the tenant, the dead ones too, newest first. */
  listKeys(caller: Caller): Promise<KeyRecord[]>;
  /** Judges the `X-API-Key` of a request and counts it against the key's rate limit (spec 5, 8), shared by all processes. */
  admitRequest(presented: string | undefined, address: string): Promise<Admission>;
  /** Compares the clock of the rate limit with the other processes; to be done every few seconds. */
  keepTime(): Promise<void>;
  /** Forgets the request windows that nothing is counted in any more; to be done now and then. */
  prune(): Promise<void>;
  /** Waits for the notes of last uses; call before the database closes. */
  close(): Promise<void>;
}

export function createAccess(deps: AccessDeps): Access {
  const lastUsed = createLastUsed(deps);
  const requestClock = createRequestClock(deps);
  const admissions = createAdmissions(deps, requestClock);
  return {
    createTenant: (input) => createTenant(deps, input),
    setTelemetryRetention: (slug, days) => setTelemetryRetention(deps, slug, days),
    systemCaller: (slug) => systemCaller(deps, slug),
    createUser: (input) => createUser(deps, input),
    deactivateUser: (email) => deactivateUser(deps, email),
    reactivateUser: (email) => reactivateUser(deps, email),
    deleteUser: (email) => deleteUser(deps, email),
    resetPassword: (email) => resetPassword(deps, email),
    userIdsByEmail: (caller, emails) => userIdsByEmail(deps, caller, emails),
    listUsers: (caller) => listUsers(deps, caller),
    createKey: (input) => createKey(deps, input),
    revokeKey: (id) => revokeKey(deps, id),
    listKeys: (caller) => listKeys(deps, caller),
    admitRequest: (presented, address) => admitRequest(admissions, lastUsed, presented, address),
    keepTime: () => requestClock.compare(),
    prune: async () => pruneWindows(deps.database.db, (await requestClock.now()) - WINDOW_MS),
    close: () => lastUsed.drain(),
  };
}
