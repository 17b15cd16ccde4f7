import { isMusterError } from "../../lib/errors.ts";
import type { IdentityDeps } from "../deps.ts";
import type { Opened } from "../session.ts";

type Outcome = "ok" | "factor_required" | "internal_error" | (string & {});

/** Wraps a way to sign in so that metrics count its outcomes: `ok`, `factor_required` or the error's code. */
export function countSignIns<Args extends unknown[], Result extends Opened>(
  method: "password" | "factor" | "passkey" | "provider",
  run: (deps: IdentityDeps, ...args: Args) => Promise<Result>,
): (deps: IdentityDeps, ...args: Args) => Promise<Result> {
  return (deps, ...args) =>
    counted(
      (result) => deps.metrics.signIns.inc({ method, result }),
      () => run(deps, ...args),
      ({ session }) => (session.factor === "required" ? "factor_required" : "ok"),
    );
}

/** Runs `work` and reports its outcome. */
export async function counted<T>(
  count: (outcome: Outcome) => void,
  work: () => Promise<T>,
  outcomeOf: (done: T) => Outcome = () => "ok",
): Promise<T> {
  try {
    const done = await work();
    count(outcomeOf(done));
    return done;
  } catch (error) {
    count(isMusterError(error) ? error.code : "internal_error");
    throw error;
  }
}
