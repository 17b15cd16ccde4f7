import { type Bound, bind } from "../access/access.ts";
import { createResolve } from "../lib/outgoing/resolve-host.ts";
import type { IdentityDeps } from "./deps.ts";
import { giveFactor } from "./factors/give-factor.ts";
import { confirmFactor, removeFactor, renewRecoveryCodes, startFactor } from "./factors/own-factors.ts";
import { resetFactor } from "./factors/reset-factor.ts";
import { createFollowedSessions, type FollowedSessions } from "./followed-sessions.ts";
import { acceptInvite, inviteUser, listInvites, openInvite, withdrawInvite } from "./links/invites.ts";
import { makeOperatorLinks, type OperatorLink } from "./links/operator-links.ts";
import { completeReset, createResetLink, forgotPassword } from "./links/reset-password.ts";
import { firstSetUpLink, makeSetUpLink, setUp, setUpState } from "./links/set-up.ts";
import { getAccount, listAccounts, unlockUser } from "./list-accounts.ts";
import { failingProviders } from "./oidc/failing-providers.ts";
import { endAtProvider, LOGOUT_PATH } from "./oidc/logout.ts";
import { encryptProvidersAgain } from "./oidc/provider-store.ts";
import { createProviders } from "./oidc/providers.ts";
import { completeProviderSignIn, signInMethods, startProviderSignIn } from "./oidc/sign-in-at-provider.ts";
import {
  getSingleSignOn,
  removeSingleSignOn,
  resetProviderLink,
  saveSingleSignOn,
  switchSingleSignOnOff,
} from "./oidc/single-sign-on.ts";
import { completeProviderTest, startProviderTest } from "./oidc/test-provider.ts";
import { completeProviderStepUp, startProviderStepUp } from "./oidc/verify-at-provider.ts";
import { changePassword, endOtherSessions, endOwnSession, listOwnSessions, stepUp } from "./own-account.ts";
import { givePasskey, startPasskeyCheck, stepUpWithPasskey } from "./passkeys/give-passkey.ts";
import { listFactors } from "./passkeys/list-factors.ts";
import { addPasskey, removePasskey, renamePasskey, startPasskey } from "./passkeys/own-passkeys.ts";
import { completePasskeySignIn, startPasskeySignIn } from "./passkeys/sign-in-with-passkey.ts";
import { signIn } from "./sign-in.ts";
import { countSignIns } from "./sign-in-events/count-sign-ins.ts";
import { createFailedSignIns } from "./sign-in-events/failed-sign-ins.ts";
import { createHashGate } from "./throttle/hash-gate.ts";
import { mayCommand, prune, signOut, useSession } from "./use-session.ts";

export type { Mail, Secrets } from "./deps.ts";
export {
  carryFactors,
  deleteAllFactors,
  deleteAllRecoveryCodes,
  endSessionsAndLinks,
  type FactorEndings,
  readFactorEndings,
} from "./end-all-store.ts";
export { encryptFactorsAgain } from "./factors/factor-store.ts";
export { PASSWORD_LENGTH } from "./password-rules.ts";
export {
  callerOf,
  MISSING,
  type Missing,
  missingOf,
  type NewSession,
  type Opened,
  type Session,
  type SignedIn,
  type Visit,
} from "./session.ts";
export { listOperators } from "./user-account-store.ts";
export type { OperatorLink };
export { encryptProvidersAgain, LOGOUT_PATH };

/** The use cases for admins of a tenant. */
export const identityUseCases = {
  inviteUser,
  listInvites,
  withdrawInvite,
  listAccounts,
  getAccount,
  createResetLink,
  resetFactor,
  unlockUser,
  getSingleSignOn,
  saveSingleSignOn,
  removeSingleSignOn,
  switchSingleSignOnOff,
  resetProviderLink,
  startProviderTest,
  completeProviderTest,
};

/** The functions for people who are not signed in, and for the sessions and accounts of signed-in users. */
export const identityServices = {
  setUpState,
  setUp,
  signIn: countSignIns("password", signIn),
  signInMethods,
  startProviderSignIn,
  completeProviderSignIn: countSignIns("provider", completeProviderSignIn),
  startProviderStepUp,
  completeProviderStepUp,
  endAtProvider,
  openInvite,
  acceptInvite,
  forgotPassword,
  completeReset,
  useSession,
  mayCommand,
  signOut,
  stepUp,
  changePassword,
  listOwnSessions,
  endOwnSession,
  endOtherSessions,
  giveFactor: countSignIns("factor", giveFactor),
  listFactors,
  startFactor,
  confirmFactor,
  removeFactor,
  renewRecoveryCodes,
  startPasskeySignIn,
  completePasskeySignIn: countSignIns("passkey", completePasskeySignIn),
  startPasskeyCheck,
  givePasskey: countSignIns("factor", givePasskey),
  stepUpWithPasskey,
  startPasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
};

/** The functions for the process and its shell. */
const shellServices = { firstSetUpLink, makeSetUpLink, makeOperatorLinks, prune };

/** The facade of this feature: set-up, invitations, sign-in, repeated verification and sessions. */
export interface Identity
  extends Bound<typeof identityUseCases>,
    Bound<typeof identityServices>,
    Bound<typeof shellServices>,
    Omit<FollowedSessions, "stopFollowing"> {
  /** Writes the failed sign-ins of this process to the audit now, instead of a moment later. */
  recordFailedSignIns(): Promise<void>;
  /** Names each tenant whose identity provider is on and cannot be used, with the cause. */
  failingProviders(): AsyncIterable<string>;
  /** Stops following sessions and records what is pending; call it before the database closes. */
  close(): Promise<void>;
}

export function createIdentity(process: Omit<IdentityDeps, "hashGate" | "failedSignIns" | "providers">): Identity {
  const { clock, allowPrivateProviders: allowPrivate, limits } = process;
  const { passwordHashes: atOnce, waitingPasswordHashes: waiting } = limits;
  const failedSignIns = createFailedSignIns(process);
  const providers = createProviders({
    clock,
    resolve: createResolve(),
    allowPrivate,
    atOnce: limits.oidcAtOnce,
    logoutsPerMinute: limits.providerLogoutsPerMinute,
    onFailure: (step) => process.metrics.providerErrors.inc({ step }),
  });
  const deps = { ...process, providers, hashGate: createHashGate({ atOnce, waiting }), failedSignIns };
  const { stopFollowing, ...followed } = createFollowedSessions(deps);
  return {
    ...bind(deps, identityUseCases),
    ...bind(deps, identityServices),
    ...bind(deps, shellServices),
    ...followed,
    recordFailedSignIns: failedSignIns.flush,
    failingProviders: () => failingProviders(deps),
    async close() {
      await Promise.all([stopFollowing(), failedSignIns.stop()]);
    },
  };
}
