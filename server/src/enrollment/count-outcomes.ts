import { isMusterError } from "../lib/errors.ts";
import type { EnrollmentDeps } from "./deps.ts";

/** Wraps an operation so that metrics count its outcomes: `ok` or the error's code. */
export function countOutcomes<Args extends unknown[], Result>(
  operation: "redeem" | "renew" | "bundle",
  run: (deps: EnrollmentDeps, ...args: Args) => Promise<Result>,
): (deps: EnrollmentDeps, ...args: Args) => Promise<Result> {
  return async (deps, ...args) => {
    const { enrollments } = deps.metrics;
    try {
      const done = await run(deps, ...args);
      enrollments.inc({ operation, result: "ok" });
      return done;
    } catch (error) {
      enrollments.inc({ operation, result: isMusterError(error) ? error.code : "internal_error" });
      throw error;
    }
  };
}
