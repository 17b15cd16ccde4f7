import type { Will } from "../codec/read-connect.ts";
import { endingOf } from "../policy/answers.ts";
import { forwarded, Message } from "../routing/message.ts";
import type { Session } from "./session.ts";

/** Takes a closed session out of everything, records its end, and publishes its will if it is due (MQTT 3.1.1, 3.1.2.5). */
export function endSession(session: Session, reason: string): void {
  const { deps, principal } = session;
  deps.sessions.delete(session);
  deps.registry.remove(session);
  for (const filter of session.filters ?? []) deps.router.unsubscribe(session, filter);
  session.partStored();
  // The other sessions end, too.
  if (reason !== "server_stopped") session.outbound.redeliver();
  session.inOrder?.abandon();
  if (principal !== undefined && session.recorded) {
    deps.policy.closeSession(principal, session.sessionId, reason);
    const isDue = session.isWillAsked || endingOf(reason).will === "published";
    if (session.accepted && isDue) publishWill(session);
  }
  session.budget?.close();
  session.onWaiting();
}

/** Under the same rules as any message of the client. */
function publishWill({ deps, principal, will }: Session): void {
  const { policy, router, logger, clock, persistence } = deps;
  if (!will || !principal || !policy.mayPublish(principal, will.topic)) return;
  const retain = will.retain && policy.mayRetain(principal, will.topic, will.payload.length);
  policy
    .storeMessage(principal, will.topic, will.payload)
    .then(async () => {
      const message = willMessage(will, clock.monotonicMs());
      const queuedFor = await persistence.offline.enqueue(principal.tenantId, message, retain);
      router.publish(principal.tenantId, message, retain, undefined, queuedFor);
    })
    .catch((error: Error) => logger.warn({ err: error.message }, "a will could not be stored"));
}

function willMessage({ topic, payload, qos, properties }: Will, nowMs: number): Message {
  return new Message(topic, payload, qos, forwarded(properties), nowMs);
}
