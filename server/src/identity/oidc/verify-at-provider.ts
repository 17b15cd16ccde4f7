import { inTransaction } from "../../db/transaction.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { factorRequired } from "../errors.ts";
import { takeCode } from "../factors/take-code.ts";
import { verifyOwn } from "../passkeys/use-passkey.ts";
import type { Assertion } from "../passkeys/verify.ts";
import type { Session } from "../session.ts";
import { renewSession } from "../session-store.ts";
import { recordSession } from "../sign-in-events/record-session.ts";
import { throttledCode } from "../throttle/throttle.ts";
import { makeToken, tokenHash } from "../tokens.ts";
import { findLinkedUser } from "./identity-store.ts";
import { flowExpired, signInRefused } from "./oidc-errors.ts";
import { findProvider } from "./provider-store.ts";
import { type BegunFlow, begin, type ProviderAnswer, takeFlow } from "./sign-in-at-provider.ts";

/** The second factor of a repeated verification: a code or a passkey. */
interface GivenFactor {
  code?: string | undefined;
  passkey?: Assertion | undefined;
  challengeCookie?: string | undefined;
  address: string;
}

/**
 * Begins a repeated verification of the user at the provider. A user with a second factor gives it now.
 *
 * @throws MusterError not_found when no provider is on; factor_required, challenge_expired, invalid_credentials,
 *   sign_in_throttled, provider_failed, rate_limited
 */
export async function startProviderStepUp(
  deps: IdentityDeps,
  session: Session,
  given: GivenFactor,
): Promise<BegunFlow> {
  const row = await findProvider(deps.database.db, session.tenant.id);
  if (!row?.enabled) throw notFound("provider");
  const factorId = session.factor === "given" ? await takeFactor(deps, session, given) : null;
  return await begin(deps, row, { purpose: "verify", sessionId: session.id, factorId }, session.user.email);
}

/** Takes the second factor, which counts as that of the session. @returns the id of that factor */
async function takeFactor(deps: IdentityDeps, session: Session, given: GivenFactor): Promise<string | null> {
  const { code, passkey, challengeCookie, address } = given;
  const { id: userId, email } = session.user;
  const attempt = async () => {
    if (passkey) {
      const { take } = await verifyOwn(deps, session, { passkey, challengeCookie, purpose: "step-up" });
      return await inTransaction(deps.database.db, take);
    }
    if (code === undefined) throw factorRequired();
    await inTransaction(deps.database.db, (tx) => takeCode(deps, tx, session, { code, address }));
  };
  const who = { email, address, actor: `user:${userId}` };
  await deps.failedSignIns.reported(who, () => throttledCode(deps, userId, attempt));
  return session.factorId;
}

/**
 * Completes the repeated verification: the provider asked the same person again (`max_age=0`, `auth_time`). The session
 * gets a new token.
 *
 * @throws MusterError sign_in_flow_expired, provider_failed, sign_in_refused, rate_limited
 */
export async function completeProviderStepUp(
  deps: IdentityDeps,
  session: Session,
  answer: ProviderAnswer,
): Promise<{ token: string }> {
  const { flow, row, person } = await takeFlow(deps, answer, "verify");
  const isOwn = flow.sessionId === session.id && flow.tenantId === session.tenant.id;
  if (!isOwn || flow.factorId !== session.factorId) throw flowExpired();
  if (session.user.platform && !row.by_operator) throw signInRefused("runs_installation");
  const { issuer, subject } = person;
  const { database, ids, clock } = deps;
  const userId = await findLinkedUser(database.db, { tenantId: session.tenant.id, issuer, subject });
  if (userId !== session.user.id) throw signInRefused("other_account");
  const token = makeToken(ids);
  await inTransaction(database.db, async (tx) => {
    await renewSession(tx, session.id, tokenHash(token), clock.now());
    const more = { provider: issuer };
    await recordSession(deps, tx, session, { act: "session.step-up", address: answer.address, more });
  });
  return { token };
}
