import { inTransaction } from "../../db/transaction.ts";
import { addressBlock } from "../../lib/address.ts";
import { addMs, SECOND } from "../../lib/clock.ts";
import type { Enrolling } from "../deps.ts";
import { refusal } from "../errors.ts";
import { GUESSES } from "../limits.ts";
import { countGuess, forgetGuesses } from "./guess-store.ts";

/**
 * What an unknown or malformed claim code earns: `invalid_claim_code`, or `rate_limited` once this address has guessed
 * too often. Only guesses count, only guesses are refused: a known code never comes here, as a factory shares an address
 * (docs/spec-decisions.md, Claims and redemption). Counted in the database, so it holds over all processes.
 *
 * @throws MusterError invalid_claim_code or rate_limited (`retryAfterSeconds`), always
 */
export async function refuseGuess(deps: Enrolling, address: string, now: Date): Promise<never> {
  const limit = { most: GUESSES.most, since: addMs(now, -GUESSES.windowMs) };
  const oldest = await inTransaction(deps.database.db, (tx) => countGuess(tx, addressBlock(address), limit, now));
  if (oldest === undefined) throw refusal("invalid_claim_code");
  const waitMs = oldest.getTime() + GUESSES.windowMs - now.getTime();
  throw refusal("rate_limited", { extra: { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)) } });
}

/** Forgets guesses that no window reaches back to. */
export async function pruneGuesses(deps: Enrolling): Promise<void> {
  await forgetGuesses(deps.database.db, addMs(deps.clock.now(), -GUESSES.windowMs));
}
