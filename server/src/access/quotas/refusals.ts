import { MINUTE } from "../../lib/clock.ts";
import type { MusterError } from "../../lib/errors.ts";
import type { QuotaName } from "../../lib/limits/limits.ts";
import { quotaExceeded } from "../errors.ts";
import type { QuotaDeps } from "./quota-deps.ts";
import type { QuotaUse } from "./quota-store.ts";

/** Reports refusals due to a quota, as a metric and a log line. */
export interface QuotaRefusals {
  /** Counts the refusal, and logs it at most once per minute for each tenant and quota. */
  count(tenantId: string, quota: QuotaName): void;
  /** Counts the refusal and returns its error. */
  exceeded(tenantId: string, quota: QuotaName, use: QuotaUse, adding: number): MusterError<"quota_exceeded">;
}

/** Bounds the memory of logged refusals. */
const MOST_REMEMBERED = 10_000;

export function createRefusals({ clock, logger, metrics }: QuotaDeps): QuotaRefusals {
  const loggedAt = new Map<string, number>();

  function count(tenantId: string, quota: QuotaName): void {
    metrics.quotaRefusals.inc({ quota });
    const key = `${quota} ${tenantId}`;
    const now = clock.monotonicMs();
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE) return;
    if (loggedAt.size >= MOST_REMEMBERED) loggedAt.clear();
    loggedAt.set(key, now);
    logger.warn({ tenantId, quota }, "a tenant has reached a quota: requests that would exceed it are refused");
  }

  return {
    count,
    exceeded(tenantId, quota, use, adding) {
      count(tenantId, quota);
      return quotaExceeded(quota, use, adding);
    },
  };
}
