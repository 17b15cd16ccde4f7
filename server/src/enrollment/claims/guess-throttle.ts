import { BEGINNING, pruneAlong } from "../../db/prune.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addressBlock } from "../../lib/address.ts";
import { addMs, SECOND } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { refusal } from "../errors.ts";
import { GUESSES } from "../limits.ts";
import { countGuess, deleteGuesses } from "./guess-store.ts";

/** Address blocks that are remembered at a time. */
const MOST_GUESSERS = 10_000;

/** When the address blocks that have guessed too often may guess again, so that further guesses cost no transaction. */
export class LimitedGuessers {
  readonly #until = new RecentMap<string, Date>(MOST_GUESSERS);

  find(block: string, now: Date): Date | undefined {
    const until = this.#until.get(block);
    return until && until > now ? until : undefined;
  }

  add(block: string, until: Date): void {
    this.#until.set(block, until);
  }
}

/**
 * Refuses an unknown or malformed claim code: `invalid_claim_code`, or `rate_limited` once this address has guessed too often. A
 * known code is neither counted nor limited, because all devices of a factory may share an address (docs/spec-decisions.md,
 * Claims and redemption). The count is in the database, so the limit applies over all processes.
 *
 * @throws MusterError invalid_claim_code or rate_limited (`retryAfterSeconds`), always
 */
export async function refuseGuess(deps: EnrollmentDeps, address: string, now: Date): Promise<never> {
  const block = addressBlock(address);
  const until = deps.limitedGuessers.find(block, now) ?? (await limitedUntil(deps, block, now));
  if (until === undefined) throw refusal("invalid_claim_code");
  const waitMs = until.getTime() - now.getTime();
  throw refusal("rate_limited", { extra: { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)) } });
}

/** Counts the guess, or returns when the block may guess again. */
async function limitedUntil(deps: EnrollmentDeps, block: string, now: Date): Promise<Date | undefined> {
  const limit = { max: GUESSES.max, since: addMs(now, -GUESSES.windowMs) };
  const oldest = await inTransaction(deps.database.db, (tx) => countGuess(tx, block, limit, now));
  if (oldest === undefined) return undefined;
  const until = addMs(oldest, GUESSES.windowMs);
  deps.limitedGuessers.add(block, until);
  return until;
}

/** Deletes the guesses that are outside every window. */
export async function pruneGuesses(deps: EnrollmentDeps, stopped?: AbortSignal): Promise<void> {
  const before = addMs(deps.clock.now(), -GUESSES.windowMs);
  await pruneAlong(BEGINNING, (from, limit) => deleteGuesses(deps.database.db, { from, before, limit }), { stopped });
}
