import { createHash } from "node:crypto";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import { challengeExpired } from "../errors.ts";
import { mac, openCookie, signCookie } from "../signed-cookie.ts";
import { makeToken } from "../tokens.ts";
import { takeChallenge } from "./passkey-store.ts";

/** The purpose of a challenge: signing in, the second factor after the password, stepping up, or adding a passkey. */
export type ChallengePurpose = "sign-in" | "factor" | "step-up" | "add";

/** The use of a challenge: its purpose, and the session it belongs to unless it begins one. */
export interface ChallengeUse {
  purpose: ChallengePurpose;
  sessionId: string | null;
}

/** A challenge that a browser was given. */
export interface OpenedChallenge {
  /** The text that the authenticator must have signed. */
  challenge: string;
  expiresAt: Date;
}

/** Returns a new challenge with the text of its cookie. The browser keeps it, so a stranger makes nothing grow. */
export function makeChallenge(
  { challengeKeys, clock, ids }: Pick<IdentityDeps, "challengeKeys" | "clock" | "ids">,
  { purpose, sessionId }: ChallengeUse,
): { challenge: string; cookie: string } {
  const stored = { purpose, sessionId, startedAt: clock.now(), secret: makeToken(ids) };
  const key = challengeKeys()[0]!;
  const { payload, cookie } = signCookie(key, stored);
  return { challenge: mac(key, "challenge", payload), cookie };
}

/**
 * Returns the challenge of a cookie that was made for this use.
 *
 * @throws MusterError challenge_expired
 */
export function openChallenge(
  { challengeKeys, clock, limits }: Pick<IdentityDeps, "challengeKeys" | "clock" | "limits">,
  cookie: string | undefined,
  use: ChallengeUse,
): OpenedChallenge {
  const opened = openCookie(challengeKeys(), cookie);
  if (!opened) throw challengeExpired();
  const { key, payload, stored } = opened;
  const { purpose, sessionId, startedAt } = stored;
  const expiresAt = addMs(new Date(startedAt), limits.passkeyMinutes * MINUTE);
  const isFor = purpose === use.purpose && sessionId === use.sessionId;
  if (!isFor || expiresAt <= clock.now()) throw challengeExpired();
  return { challenge: mac(key, "challenge", payload), expiresAt };
}

/**
 * Takes a challenge in the transaction of what it admits; the database lets one of several requests take it.
 *
 * @throws MusterError challenge_expired
 */
export async function useChallenge(tx: Tx, { challenge, expiresAt }: OpenedChallenge): Promise<void> {
  const sha256 = createHash("sha256").update(`challenge ${challenge}`).digest();
  if (!(await takeChallenge(tx, sha256, expiresAt))) throw challengeExpired();
}
