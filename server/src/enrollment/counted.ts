import { isMusterError } from "../lib/errors.ts";
import type { Enrolling } from "./deps.ts";

/** Counts the outcome of `work` in the metrics. */
export async function counted<T>(
  { metrics }: Pick<Enrolling, "metrics">,
  operation: "redeem" | "renew" | "bundle",
  work: Promise<T>,
): Promise<T> {
  try {
    const done = await work;
    metrics.enrollments.inc({ operation, result: "ok" });
    return done;
  } catch (error) {
    metrics.enrollments.inc({ operation, result: isMusterError(error) ? error.code : "internal_error" });
    throw error;
  }
}
