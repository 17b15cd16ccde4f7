import type { StoredSessions } from "../../connections/connections.ts";
import type { Will } from "../codec/read-connect.ts";
import type { Principal } from "../policy/policy.ts";
import { retried } from "./retried.ts";
import { storedWill } from "./stored-will.ts";

/** A session whose CONNECT is about to be accepted. */
interface AcceptedSession {
  readonly sessionId: string;
  readonly isClosed: boolean;
  readonly principal: Principal | undefined;
  readonly will: Will | undefined;
  readonly persistence: { readonly delaysWill: boolean } | undefined;
  /** Whether its will is stored in case this process crashes. */
  hasStoredWill: boolean;
}

/**
 * Stores a session's will unless it is stored with its delay. If the process crashes, the process that removes its
 * sessions publishes the will. Sessions without a will cost nothing.
 */
export async function storeWill(stored: StoredSessions, session: AcceptedSession): Promise<void> {
  const { will, sessionId, principal } = session;
  if (!will || session.persistence?.delaysWill || session.isClosed) return;
  await stored.keepWill(storedWill(will, sessionId, principal!, 0));
  session.hasStoredWill = true;
  if (session.isClosed) await takeWill(stored, session);
}

/** Deletes the stored will at the session's end. @returns whether this process decides if it is published */
export async function takeWill(
  stored: StoredSessions,
  { sessionId, hasStoredWill }: Pick<AcceptedSession, "sessionId" | "hasStoredWill">,
): Promise<boolean> {
  return !hasStoredWill || (await retried(() => stored.takeWill(sessionId)));
}
