import type { Will } from "../codec/read-connect.ts";
import { type ConnectAnswer, ownerOf, type Principal } from "../policy/policy.ts";
import { Persistence, type PersistenceParts } from "./persistence.ts";
import { delayedWillOf } from "./stored-will.ts";

/** A session whose CONNECT has been authorized and recorded. */
export interface OpeningSession {
  readonly sessionId: string;
  readonly isClosed: boolean;
  readonly principal: Principal | undefined;
  /** The session that the CONNECT asks for; an expiry of 0 seconds means it is not stored. */
  readonly wanted: { clean: boolean; expirySeconds: number };
  readonly will: Will | undefined;
  /** Whether there may be a stored session. */
  readonly hasStored: boolean;
  /** Resolves when a replaced session in another process has been stored, or has not in time. */
  readonly predecessor: Promise<unknown> | undefined;
  persistence: Persistence | undefined;
  /** Stores the session if it has closed in the meantime. */
  partStored(): void;
}

/**
 * Resumes, creates or deletes the client's stored session, as its CONNECT asks [MQTT-3.1.2-6]. Most clients neither
 * have nor want one, and pay nothing.
 *
 * @returns undefined to accept the CONNECT. Rejects if the database fails.
 */
export async function openStored(parts: PersistenceParts, session: OpeningSession): Promise<ConnectAnswer | undefined> {
  const { wanted, hasStored, principal } = session;
  const resumes = hasStored && !wanted.clean;
  if (wanted.expirySeconds === 0 && !resumes) {
    if (hasStored) await discard(parts, ownerOf(principal!), session.sessionId);
    return undefined;
  }
  return await resume(parts, session, principal!);
}

async function discard(
  { stored, routes, batches }: PersistenceParts,
  ownerId: string,
  sessionId: string,
): Promise<void> {
  await batches.flushed(ownerId);
  await stored.discard(ownerId);
  routes.forget(ownerId, sessionId);
}

async function resume(
  parts: PersistenceParts,
  session: OpeningSession,
  principal: Principal,
): Promise<ConnectAnswer | undefined> {
  const { stored, routes, batches } = parts;
  const { sessionId, hasStored } = session;
  const { clean, expirySeconds } = session.wanted;
  const { tenantId, clientId, certificateId } = principal;
  const ownerId = ownerOf(principal);
  await session.predecessor;
  await routes.freed(ownerId);
  if (!hasStored && !(await stored.hasRoom(tenantId))) return undefined;
  routes.begin(ownerId, sessionId);
  try {
    await batches.flushed(ownerId);
    const asked = {
      ownerId,
      tenantId,
      clientId,
      certificateId: certificateId ?? null,
      sessionId,
      expirySeconds,
      clean,
      will: delayedWillOf(session.will, sessionId, principal, expirySeconds),
    };
    const resumed = await stored.resume(asked);
    if (resumed === undefined) {
      routes.abort(ownerId, sessionId);
      return "server_unavailable";
    }
    session.persistence = new Persistence(parts, { ownerId, tenantId, sessionId }, resumed, asked);
  } catch (error) {
    routes.abort(ownerId, sessionId);
    throw error;
  }
  if (session.isClosed) session.partStored();
  return undefined;
}
