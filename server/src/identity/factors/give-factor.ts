import { lockCredentials } from "../../access/access.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isMusterError } from "../../lib/errors.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { invalidCredentials } from "../errors.ts";
import { beginSession } from "../open-session.ts";
import type { Session, SignedIn, Visit } from "../session.ts";
import { deleteSessionOf } from "../session-store.ts";
import { remembered } from "../sign-in.ts";
import { knownBrowserId } from "../throttle/known-browser.ts";
import { countedCodes, throttled } from "../throttle/throttle.ts";
import { listFactorIds } from "./factor-store.ts";
import { takeCode } from "./take-code.ts";

export interface GivenFactor extends Visit {
  code: string;
  /** The cookie of a known browser, if the request sent one. */
  browser?: string | undefined;
}

/**
 * Completes a sign-in with a code of the second factor or a recovery code; a new session replaces the incomplete one.
 *
 * @throws MusterError invalid_credentials, invalid_request when the session lacks no factor, sign_in_throttled
 */
export async function giveFactor(
  deps: IdentityDeps,
  session: Session,
  { code, browser, ...visit }: GivenFactor,
): Promise<SignedIn> {
  if (session.factor !== "required") throw invalidRequest("This session needs no code.", "code");
  const { database, knownBrowserKeys } = deps;
  const { user } = session;
  const holder = { userId: user.id, factorIds: await listFactorIds(database.db, user.id) };
  const counted = countedCodes(deps, user.id, knownBrowserId(knownBrowserKeys(), holder, browser));
  const attempt = () =>
    inTransaction(database.db, async (tx) => {
      // The lock order is the same everywhere: the user, the factor, the sessions.
      if (!(await lockCredentials(tx, user.id))) throw invalidCredentials();
      const givenFactorId = await takeCode(deps, tx, session, { code, address: visit.address });
      if (!(await deleteSessionOf(tx, user.id, session.id))) throw invalidCredentials();
      const { provider } = session;
      const verified = provider && { verifiedAt: session.verifiedAt };
      return await beginSession(deps, tx, { userId: user.id, givenFactorId, provider, ...verified }, visit);
    });
  const isFailure = (error: unknown) => isMusterError(error, "invalid_credentials");
  const who = { email: user.email, address: visit.address };
  const opened = await deps.failedSignIns.reported(who, () => throttled(deps, counted, attempt, isFailure));
  return remembered(deps, opened);
}
