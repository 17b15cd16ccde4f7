import type { StoredSessions } from "../../connections/connections.ts";
import type { Will } from "../codec/read-connect.ts";
import type { Principal } from "../policy/policy.ts";
import { storedWill } from "./delayed-will.ts";
import { retried } from "./retried.ts";

/** A session whose CONNECT is about to be accepted. */
interface AcceptedSession {
  readonly sessionId: string;
  readonly isClosed: boolean;
  readonly principal: Principal | undefined;
  readonly will: Will | undefined;
  readonly persistence: { readonly delaysWill: boolean } | undefined;
  /** Its will is stored, for the case that this process ends without a word. */
  hasStoredWill: boolean;
}

/**
 * Stores the will of a session, unless it is stored with its delay: when the process ends without a word, who removes its sessions
 * publishes it. Sessions without a will cost nothing.
 */
export async function storeWill(stored: StoredSessions, session: AcceptedSession): Promise<void> {
  const { will, sessionId, principal } = session;
  if (!will || session.persistence?.delaysWill || session.isClosed) return;
  await stored.keepWill(storedWill(will, sessionId, principal!, 0));
  session.hasStoredWill = true;
  if (session.isClosed) await takeWill(stored, session);
}

/** The session has ended. @returns whether its will is for this process to publish, or to leave */
export async function takeWill(
  stored: StoredSessions,
  { sessionId, hasStoredWill }: Pick<AcceptedSession, "sessionId" | "hasStoredWill">,
): Promise<boolean> {
  return !hasStoredWill || (await retried(() => stored.takeWill(sessionId)));
}
