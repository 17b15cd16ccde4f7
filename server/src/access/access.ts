import { pruneAlong } from "../db/prune.ts";
import type { FollowedIds } from "../lib/following/followed-ids.ts";
import { type Bound, bind } from "./bind.ts";
import type { AccessDeps } from "./deps.ts";
import { deleteFilter, listFilters, renameFilter, saveFilter } from "./filters/saved-filters.ts";
import { createFollowedKeys, type FollowedKeys } from "./keys/followed-keys.ts";
import { createKeyAddresses } from "./keys/key-addresses.ts";
import { createLastUsed } from "./keys/last-used.ts";
import { getOwnKey, listKeys, listKeyWrites } from "./keys/list-keys.ts";
import { createKey, revokeKey, tenantOfKey } from "./keys/manage-keys.ts";
import { rotateKey, rotateOwnKey } from "./keys/rotate-key.ts";
import { listAdminActs, listInstallationActs } from "./list-admin-acts.ts";
import { listApiWrites } from "./list-api-writes.ts";
import { nameKeys, nameUsers } from "./name-actors.ts";
import { setQuota, tenantUsage } from "./quotas/manage-quotas.ts";
import { createMeasure } from "./quotas/measure-quotas.ts";
import { createAdmissions } from "./rate-limit/admissions.ts";
import { type Admission, admitRequest } from "./rate-limit/admit-request.ts";
import { pruneWindows, WINDOW_MS } from "./rate-limit/rate-limit-store.ts";
import { createRequestClock } from "./rate-limit/request-clock.ts";
import { deleteServiceAccount, endAccounts } from "./service-accounts/manage-accounts.ts";
import {
  countServiceAccountProblems,
  getServiceAccount,
  listServiceAccounts,
} from "./service-accounts/view-accounts.ts";
import { getTenant, updateTenant } from "./tenants/administer-tenant.ts";
import { addTenantDomain, listTenantDomains, removeTenantDomain } from "./tenants/domains.ts";
import { createTenant, setTelemetryRetention, systemCaller } from "./tenants/manage-tenants.ts";
import { addTenant, listAllTenants, listTenants } from "./tenants/platform-tenants.ts";
import { changeUser, removeUser, setPlatformUser } from "./users/change-users.ts";
import { userIdsByEmail } from "./users/find-users.ts";
import { listPeople } from "./users/list-people.ts";
import {
  createUser,
  deactivateUser,
  deleteUser,
  reactivateUser,
  replacePassword,
  tenantOfUser,
} from "./users/manage-users.ts";
import { changeProfile } from "./users/profile.ts";
import { userImpact } from "./users/user-impact.ts";
import { listUsers } from "./users/view-access.ts";

export { adminUseCase, type PreparedChange } from "./admin-use-case.ts";
export { type Bound, type BoundFunctions, type BoundUseCase, bind, boundFunctions, type Declaration } from "./bind.ts";
export {
  boundedToGroupsOf,
  type Caller,
  keyOf,
  type LeastRole,
  ownUserOf,
  type Rights,
  ROLES,
  type Role,
  requesterOf,
  sessionIdOf,
  userIdOf,
} from "./caller.ts";
export type { AccessDeps } from "./deps.ts";
export { invalidApiKey } from "./errors.ts";
export { FILTERED_LISTS, type FilteredList } from "./filters/saved-filters.ts";
export { isAdmitted } from "./is-admitted.ts";
export { revokeAllKeys, revokeKeysOf } from "./keys/key-store.ts";
export { LEAST_ROLES } from "./keys/scope-roles.ts";
export { SCOPES, type Scope, SPECIFIED_SCOPES } from "./keys/scopes.ts";
export type { NamedRecord } from "./name-actors.ts";
export { hashPassword, verifyPassword } from "./password.ts";
export { quotaValue } from "./quotas/counts-store.ts";
export { createQuotas, type Quotas } from "./quotas/quotas.ts";
export { spendAllowance } from "./quotas/round-store.ts";
export type { Admission } from "./rate-limit/admit-request.ts";
export { findAccount, lockAccount } from "./service-account-store.ts";
export {
  addAccount,
  changeAccount,
  type NewServiceAccount,
  type ServiceAccountChange,
} from "./service-accounts/manage-accounts.ts";
export { type ServiceAccount, toAccount } from "./service-accounts/view-accounts.ts";
export {
  DANGEROUS_OPERATIONS,
  DANGEROUS_SCOPES,
  dangerousScopesOf,
  HARMLESS_OPERATIONS,
  type StepUpRule,
} from "./step-up.ts";
export { tenantOfAddress } from "./tenants/domain-store.ts";
export { createTenantIn, TELEMETRY_RETENTIONS } from "./tenants/manage-tenants.ts";
export { findTenant, lockFactorRule, soleTenant } from "./tenants/tenant-store.ts";
export { type AccessRule, admitsUser, requireMay, type UseCase, useCase } from "./use-case.ts";
export {
  hasEmail,
  hasUsers,
  lockAdmins,
  lockUser,
  lockUserById,
  setContact,
  setPasswordHash,
  type UserDetails,
} from "./user-store.ts";
export { addUser, checkEmail } from "./users/add-user.ts";
export { applyRole } from "./users/apply-role.ts";
export { type AccessEndings, carryAccessEndings, readAccessEndings } from "./users/carry-endings-store.ts";
export {
  type AdministeredUser,
  changeLocked,
  lockAdministered,
  removeLocked,
  type UserChange,
} from "./users/change-users.ts";
export {
  type Credentials,
  type FoundCredentials,
  findCredentials,
  lockCredentials,
} from "./users/credentials-store.ts";
export { endPasswords, hasPassword } from "./users/end-passwords-store.ts";
export { isStanding } from "./users/is-standing-store.ts";
export { requireMayAdminister } from "./users/operators.ts";
export { lockOwner } from "./users/owner-store.ts";
export type { Profile } from "./users/profile-store.ts";
export { groupsOfViewer, seesMoreThan, type ViewedGroups, type Viewer, visibleDevice } from "./visible-device-store.ts";

/** The use cases for tenants, users, API keys (spec 5) and the API audit log. */
export const accessUseCases = {
  listTenants,
  addTenant,
  getTenant,
  updateTenant,
  addTenantDomain,
  removeTenantDomain,
  listTenantDomains,
  setTelemetryRetention,
  setQuota,
  tenantUsage,
  listFilters,
  saveFilter,
  renameFilter,
  deleteFilter,
  createUser,
  deactivateUser,
  reactivateUser,
  deleteUser,
  replacePassword,
  changeUser,
  removeUser,
  changeProfile,
  setPlatformUser,
  userImpact,
  userIdsByEmail,
  listUsers,
  listPeople,
  listServiceAccounts,
  getServiceAccount,
  countServiceAccountProblems,
  deleteServiceAccount,
  nameUsers,
  createKey,
  revokeKey,
  rotateKey,
  getOwnKey,
  rotateOwnKey,
  listKeys,
  nameKeys,
  listKeyWrites,
  listApiWrites,
  listAdminActs,
};

/**
 * Functions for the shell, which acts as the machine's owner: creates and lists tenants, looks up tenants of users and
 * keys.
 */
const shellServices = { createTenant, listAllTenants, systemCaller, tenantOfUser, tenantOfKey, listInstallationActs };

export interface Access extends Bound<typeof accessUseCases>, Bound<typeof shellServices> {
  /**
   * Authenticates the `X-API-Key` of a request and counts it against the key's rate limit (spec 5, 8), which all
   * processes share.
   */
  admitRequest(presented: string | undefined, address: string): Promise<Admission>;
  /** Synchronizes the clock of the rate limit with the other processes; called every few seconds. */
  compareRequestClocks(): Promise<void>;
  /**
   * Deletes request windows that no longer contain a counted request, and address blocks of keys out of use;
   * deactivates service accounts that have ended.
   */
  prune(stopped?: AbortSignal): Promise<void>;
  /** Sets the quota utilization metric. */
  measure(): Promise<void>;
  /**
   * Calls `ended` once when the key has ended or its owner's role has changed. Resolves to a function that
   * unsubscribes.
   */
  followKey: FollowedKeys["follow"];
  /** Finds followed keys that have expired; called every ten seconds. */
  checkFollowedKeys: FollowedIds["check"];
  /** Waits for pending writes about used keys and stops following keys; call it before the database closes. */
  close(): Promise<void>;
}

export function createAccess(deps: AccessDeps): Access {
  const lastUsed = createLastUsed(deps);
  const addresses = createKeyAddresses(deps);
  const requestClock = createRequestClock(deps);
  const followed = createFollowedKeys(deps);
  const admissions = createAdmissions(deps, requestClock);
  return {
    ...bind(deps, accessUseCases),
    ...bind(deps, shellServices),
    admitRequest: (presented, address) => admitRequest(admissions, { lastUsed, addresses }, presented, address),
    compareRequestClocks: () => requestClock.compare(),
    async prune(stopped) {
      const sinceMs = (await requestClock.now()) - WINDOW_MS;
      await pruneAlong("", (from, limit) => pruneWindows(deps.database.db, { sinceMs, from, limit }), { stopped });
      await addresses.prune(stopped);
      await endAccounts(deps);
    },
    measure: createMeasure(deps),
    followKey: followed.follow,
    checkFollowedKeys: followed.check,
    async close() {
      await Promise.all([lastUsed.drain(), addresses.drain(), followed.stop()]);
    },
  };
}
