import { sharedFilter } from "../codec/shared-filter.ts";
import type { Persistence } from "../sessions/persistence.ts";
import { IncomingIds } from "./incoming/incoming-ids.ts";
import type { Session } from "./session.ts";

/** Continues a stored session: the subscriptions that the client may still have, and its pending messages. */
export function restoreStored(session: Session, persistence: Persistence): void {
  const { deps, outbound } = session;
  const { router } = deps;
  outbound.keepSent();
  if (persistence.incomingIds.length > 0) {
    session.incomingIds = new IncomingIds(deps.limits, session.budget!, persistence.incomingIds);
  }
  for (const [filter, grant] of persistence.restoreSubscriptions((each) => mayKeep(session, each))) {
    session.filters ??= new Set();
    session.filters.add(filter);
    router.subscribe(session, filter, grant);
  }
  persistence.open(session);
  session.commands?.deliver();
}

/** Whether a stored subscription may continue, by the same rules as at its SUBSCRIBE. */
function mayKeep({ deps: { policy }, principal }: Session, filter: string): boolean {
  const shared = sharedFilter(filter);
  if (shared && !policy.mayShare(principal!)) return false;
  return policy.mayKeepSubscription(principal!, shared?.filter ?? filter);
}
