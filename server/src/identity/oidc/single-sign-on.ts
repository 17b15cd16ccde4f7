import {
  adminUseCase,
  type Caller,
  isAdmitted,
  lockUserById,
  type PreparedChange,
  sessionIdOf,
  useCase,
} from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound, preconditionFailed } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { type CheckedSettings, checkSettings, type ProviderSettings } from "./check-settings.ts";
import { redirectUri } from "./exchange.ts";
import { endCredentialSessions, endFormerSessions, endProviderSessions, unlinkUser } from "./identity-store.ts";
import { logoutUri } from "./logout.ts";
import { providerUntested, secretMissing } from "./oidc-errors.ts";
import {
  deleteProvider,
  findProvider,
  lockProvider,
  type ProviderRow,
  providerOwner,
  saveProvider,
  switchOff,
} from "./provider-store.ts";
import { requireAdminGetsIn } from "./require-admin-gets-in.ts";

/** The settings of a tenant's provider as its admins see them, without the client secret. */
export interface SingleSignOn extends Omit<ProviderSettings, "clientSecret"> {
  /** When a sign-in over this connection last succeeded as a test. */
  testedAt: Date | null;
}

/** The provider of the caller's tenant, and the addresses that the provider must know. */
export interface SingleSignOnRecord {
  provider: SingleSignOn | null;
  redirectUri: string;
  /** The address to which the provider reports logouts. */
  logoutUri: string;
}

export const getSingleSignOn = useCase(
  { role: "admin" },
  async (deps: IdentityDeps, { tenantId }): Promise<SingleSignOnRecord> => {
    const row = await findProvider(deps.database.db, tenantId);
    return toRecord(deps, tenantId, row);
  },
);

/**
 * Saves the provider of the caller's tenant. A changed connection must be tested before it can be switched on; until
 * then the provider is off. Once its rule refuses credentials of Muster, sessions that began with them end; so do those
 * that a provider of another issuer began.
 *
 * @throws MusterError invalid_request, with an unknown group or user in `detail`; provider_untested; last_admin when no
 *   admin could sign in; precondition_failed
 */
export const saveSingleSignOn = adminUseCase(
  { role: "admin" },
  "single-sign-on.update",
  async (
    deps: IdentityDeps,
    caller,
    input: ProviderSettings,
    matches?: (record: object) => boolean,
  ): Promise<PreparedChange<SingleSignOnRecord>> => ({
    change: async (tx) => {
      const settings = await checkSettings(tx, caller.tenantId, input);
      const { clientSecret } = input;
      // Sealed before the row is locked, in the order of a rotation of the master key.
      const sealed =
        clientSecret === undefined
          ? undefined
          : await deps.secrets.seal(tx, Buffer.from(clientSecret), providerOwner(caller.tenantId));
      const before = await lockProvider(tx, caller.tenantId);
      if (matches && !matches(toRecord(deps, caller.tenantId, before))) throw preconditionFailed();
      const row = merged(deps, caller, { settings, sealed, before });
      if (row.enabled && row.tested_at === null) throw providerUntested();
      await requireAdminGetsIn(tx, row);
      await saveProvider(tx, row);
      if (row.enabled && row.rule !== "password") await endOthers(tx, caller, row);
      if (before && before.issuer !== row.issuer)
        await endFormerSessions(tx, caller.tenantId, { issuer: row.issuer, except: sessionIdOf(caller) });
      const result = toRecord(deps, caller.tenantId, row);
      return { target: caller.tenantId, before: before && toSettings(before), after: result.provider!, result };
    },
  }),
);

async function endOthers(tx: Tx, caller: Caller, { tenant_id, rule, break_glass: named }: ProviderRow): Promise<void> {
  const userIds = rule === "break_glass" ? named : [];
  await endCredentialSessions(tx, tenant_id, { sessionId: sessionIdOf(caller), userIds });
}

/** Returns the row to store: the test and the secret of a connection stay valid as long as it is unchanged. */
function merged(
  { ids, clock }: IdentityDeps,
  caller: Caller,
  {
    settings,
    sealed,
    before,
  }: { settings: CheckedSettings; sealed: Buffer | undefined; before: ProviderRow | undefined },
): ProviderRow {
  const same = before?.issuer === settings.issuer && before.client_id === settings.client_id ? before : undefined;
  const secret = sealed ?? same?.client_secret;
  if (!secret) throw secretMissing();
  const kept = !sealed && same?.scopes.join(" ") === settings.scopes.join(" ") ? same : undefined;
  return {
    ...settings,
    tenant_id: caller.tenantId,
    connection_id: kept?.connection_id ?? ids.uuid(clock.now()),
    client_secret: secret,
    tested_at: kept?.tested_at ?? null,
    by_operator: isAdmitted(caller, { declaration: { may: { role: "platform" } } }),
  };
}

/**
 * Removes the provider of the caller's tenant, if any; its users then need a password, and other sessions that it began
 * end.
 */
export const removeSingleSignOn = adminUseCase(
  { role: "admin" },
  "single-sign-on.delete",
  async (_deps: IdentityDeps, caller): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const { tenantId } = caller;
      const row = await lockProvider(tx, tenantId);
      if (!row) return { target: tenantId, result: undefined, unchanged: true };
      await deleteProvider(tx, tenantId);
      await endFormerSessions(tx, tenantId, { except: sessionIdOf(caller) });
      return { target: tenantId, before: toSettings(row), result: undefined };
    },
  }),
);

/** Switches the provider off, so that passwords suffice again. For the shell. @throws MusterError not_found */
export const switchSingleSignOnOff = adminUseCase(
  {},
  "single-sign-on.disable",
  async (_deps: IdentityDeps, { tenantId }): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      if (!(await switchOff(tx, tenantId))) throw notFound("provider that is on");
      return { target: tenantId, after: { enabled: false }, result: undefined };
    },
  }),
);

/**
 * Unlinks a user from the account at the provider, and ends the sessions that it began. The next sign-in links again by
 * the e-mail address. For the shell.
 *
 * @throws MusterError not_found when the tenant has no such user
 */
export const resetProviderLink = adminUseCase(
  {},
  "user.unlink-provider",
  async (_deps: IdentityDeps, { tenantId }, userId: string): Promise<PreparedChange<{ unlinked: boolean }>> => ({
    change: async (tx) => {
      const user = isUuid(userId) ? await lockUserById(tx, tenantId, userId) : undefined;
      if (!user) throw notFound("user");
      const unlinked = await unlinkUser(tx, userId);
      await endProviderSessions(tx, userId);
      return { target: userId, before: { email: user.email }, result: { unlinked }, unchanged: !unlinked };
    },
  }),
);

function toRecord(deps: IdentityDeps, tenantId: string, row: ProviderRow | undefined): SingleSignOnRecord {
  const addresses = { redirectUri: redirectUri(deps, tenantId), logoutUri: logoutUri(deps, tenantId) };
  return { provider: row ? toSettings(row) : null, ...addresses };
}

function toSettings(row: ProviderRow): SingleSignOn {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    scopes: row.scopes,
    testedAt: row.tested_at,
    enabled: row.enabled,
    firstSignIn: row.first_sign_in,
    rule: row.rule,
    breakGlass: row.break_glass,
    mapping: row.mapping_claim === null ? null : { claim: row.mapping_claim, rules: row.mapping },
  };
}
