import { type AdministerDeps, administer, type Changed } from "../audit/audit.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Caller } from "./caller.ts";
import type { Quotas } from "./quotas/quotas.ts";
import { type AccessRule, type UseCase, useCase } from "./use-case.ts";

/** A prepared change: slow work such as password hashing is done before its transaction begins. */
export interface PreparedChange<Result> {
  /**
   * Makes the change; called again after a conflict with another transaction. `round`: the value that `admitted` passed
   * on.
   */
  change(tx: Tx, round?: string | null): Promise<Changed<Result>>;
  /** Runs the transaction where it counts against a quota of frequent additions ({@link Quotas.addOne}). */
  admitted?(run: (db: Db, round: string | null) => Promise<Result>): Promise<Result>;
  /** Does the work that remains after the commit. */
  committed?(): Promise<void>;
}

/** An administrative use case; `act` is its name in the administrative audit, such as `user.create`. */
export interface AdminUseCase<Deps, Args extends unknown[], Result> extends UseCase<Deps, Args, Result> {
  readonly act: string;
}

/**
 * Declares an administrative use case: its access rule, its name in the administrative audit, and its work. `prepare`
 * checks the input; the change that it returns runs in one transaction with its audit entry.
 */
export function adminUseCase<Deps extends AdministerDeps, Args extends unknown[], Result>(
  may: AccessRule,
  act: string,
  prepare: (deps: Deps, caller: Caller, ...args: Args) => Promise<PreparedChange<Result>>,
): AdminUseCase<Deps, Args, Result> {
  const run = async (deps: Deps, caller: Caller, ...args: Args): Promise<Result> => {
    const prepared = await prepare(deps, caller, ...args);
    const change = (db: Db, round: string | null) =>
      administer(deps, caller, act, (tx) => prepared.change(tx, round), db);
    const result = await (prepared.admitted?.(change) ?? change(deps.database.db, null));
    await prepared.committed?.();
    return result;
  };
  return Object.assign(useCase<Deps, Args, Result>(may, run), { act });
}
