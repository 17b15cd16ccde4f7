import { createHash, createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import { challengeExpired } from "../errors.ts";
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

const TEXT = /^([\w-]{1,500})\.([\w-]{43})$/;

/** Returns a new challenge with the text of its cookie. The browser keeps it, so a stranger makes nothing grow. */
export function makeChallenge(
  { challengeKeys, clock, ids }: Pick<IdentityDeps, "challengeKeys" | "clock" | "ids">,
  { purpose, sessionId }: ChallengeUse,
): { challenge: string; cookie: string } {
  const stored = { purpose, sessionId, startedAt: clock.now(), secret: makeToken(ids) };
  const payload = Buffer.from(JSON.stringify(stored)).toString("base64url");
  const key = challengeKeys()[0]!;
  return { challenge: mac(key, "challenge", payload), cookie: `${payload}.${mac(key, "cookie", payload)}` };
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
  const [, payload, given] = TEXT.exec(cookie ?? "") ?? [];
  if (payload === undefined || given === undefined) throw challengeExpired();
  const key = challengeKeys().find((each) => isSame(mac(each, "cookie", payload), given));
  if (!key) throw challengeExpired();
  const { purpose, sessionId, startedAt } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
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

function mac(key: KeyObject, what: string, text: string): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([what, text]))
    .digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
