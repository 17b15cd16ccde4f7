import type { Answer, BrokerPolicy, Credential } from "../../policy.ts";
import type { SessionRegistry } from "../../sessions.ts";
import type { ClientSession } from "./client-session.ts";

/**
 * Judges a CONNECT and makes the session the one of its client id. The order is what holds it together: entered before
 * the books are read, admitted (and with that droppable) before the database names it the client's session, whom it
 * replaces ended before the client is answered.
 *
 * @returns undefined when the client may be told yes, otherwise what it is told
 */
export async function admitClient(
  { registry, policy }: { registry: SessionRegistry; policy: BrokerPolicy },
  session: ClientSession,
  credential: Credential,
): Promise<Answer | undefined> {
  const { sessionId, clientId, remoteAddress } = session;
  registry.begin(session);
  const verdict = await policy.connect({ clientId, remoteAddress, credential, willTopic: session.will?.topic });
  if (!verdict.allow) {
    registry.remove(session);
    session.reason ??= verdict.reason;
    return verdict.answer;
  }
  const { principal } = verdict;
  session.principal = principal;
  if (session.over || session.stream.destroyed || session.socket.destroyed) {
    registry.remove(session);
    return "not_authorized";
  }
  const dropped = registry.admit(session, principal);
  if (dropped !== undefined) {
    session.reason ??= dropped;
    session.over = true;
    return "not_authorized";
  }
  const up = await policy.sessionUp(principal, { sessionId, remoteAddress }).catch(() => undefined);
  if (up === undefined) return "server_unavailable";
  if (session.over) {
    // It ended while the database entered it, so its end has not been told yet.
    policy.sessionDown(principal, sessionId, session.reason ?? "connection_lost");
    return "not_authorized";
  }
  session.up = true;
  if (up.replacedHere !== undefined) await registry.drop({ sessionId: up.replacedHere }, "takeover");
  return session.over ? "not_authorized" : undefined;
}
