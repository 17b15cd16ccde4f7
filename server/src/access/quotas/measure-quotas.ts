import { MINUTE } from "../../lib/clock.ts";
import { QUOTA_NAMES } from "../../lib/limits/limits.ts";
import type { AccessDeps } from "../deps.ts";
import { greatestShares } from "./quota-store.ts";

/** The interval between readings: otherwise every scrape of every process would count all tenants. */
const EVERY_MS = 5 * MINUTE;

/**
 * Returns a function that sets the greatest share of each quota that any tenant uses, at most every five minutes. After
 * a failure the metric has no value.
 */
export function createMeasure({ database, clock, limits, metrics }: AccessDeps): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.monotonicMs();
    if (now - readAt < EVERY_MS) return;
    readAt = now;
    for (const quota of QUOTA_NAMES) metrics.quotaUse.remove({ quota });
    for (const { quota, share } of await greatestShares(database.db, limits, clock.now()))
      metrics.quotaUse.set({ quota }, share);
  };
}
