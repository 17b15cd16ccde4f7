import { addMs, MINUTE, SECOND } from "../lib/clock.ts";
import { rateLimited } from "../lib/request-errors.ts";
import type { TicketsDeps } from "./deps.ts";
import { firstOfMinute, isTooOften } from "./ticket-store.ts";

/**
 * Converts the `error` of a failed ticket into the answer.
 *
 * @throws MusterError rate_limited (`retryAfterSeconds`) if the tenant has reached its tickets per minute; any other
 *   `error` unchanged
 */
export async function refuseTooOften(deps: TicketsDeps, tenantId: string, error: unknown): Promise<never> {
  if (!isTooOften(error)) throw error;
  deps.quotas.refused(tenantId, "ticketsPerMinute");
  const now = deps.clock.now();
  const first = await firstOfMinute(deps.database.db, tenantId, deps.limits.ticketsPerMinute);
  const waitMs = addMs(first ?? now, MINUTE).getTime() - now.getTime();
  throw rateLimited(
    "The tenant has created as many tickets in the last minute as its quota ticketsPerMinute allows.",
    Math.max(1, Math.ceil(waitMs / SECOND)),
  );
}
