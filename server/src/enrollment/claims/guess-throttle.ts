import { BEGINNING, pruneAlong } from "../../db/prune.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addressBlock } from "../../lib/address.ts";
import { addMs, SECOND } from "../../lib/clock.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { refusal } from "../errors.ts";
import { GUESSES } from "../limits.ts";
import { countGuess, deleteGuesses } from "./guess-store.ts";

/**
 * Refuses an unknown or malformed claim code with `invalid_claim_code`, or with `rate_limited` once this address has
 * guessed too often. Known codes are neither counted nor limited, because all devices of a factory may share an address
 * (docs/spec-decisions.md, Claims and redemption). The count is in the database, so the limit covers all processes.
 *
 * @throws MusterError invalid_claim_code or rate_limited (`retryAfterSeconds`), always
 */
export async function refuseGuess(deps: EnrollmentDeps, address: string, now: Date): Promise<never> {
  const block = addressBlock(address);
  const until = await deps.limitedGuessers.limitedUntil(block, now, () => limitedUntil(deps, block, now));
  if (until === undefined) throw refusal("invalid_claim_code");
  const waitMs = until.getTime() - now.getTime();
  throw refusal("rate_limited", { extra: { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)) } });
}

/** Counts the guess, or returns when the block may guess again. */
async function limitedUntil(deps: EnrollmentDeps, block: string, now: Date): Promise<Date | undefined> {
  const limit = { max: GUESSES.max, since: addMs(now, -GUESSES.windowMs) };
  const oldest = await inTransaction(deps.database.db, (tx) => countGuess(tx, block, limit, now));
  return oldest && addMs(oldest, GUESSES.windowMs);
}

/** Deletes the guesses that are outside every window. */
export async function pruneGuesses(deps: EnrollmentDeps, stopped?: AbortSignal): Promise<void> {
  const before = addMs(deps.clock.now(), -GUESSES.windowMs);
  await pruneAlong(BEGINNING, (from, limit) => deleteGuesses(deps.database.db, { from, before, limit }), { stopped });
}
