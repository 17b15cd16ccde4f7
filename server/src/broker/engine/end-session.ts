import type { Will } from "../codec/read-connect.ts";
import { forwarded, Message } from "../message.ts";
import { endingOf } from "../policy/answers.ts";
import { ownerOf, type Principal } from "../policy/policy.ts";
import type { Routed } from "../sessions/stored-routes.ts";
import { takeWill } from "../sessions/undelayed-will.ts";
import { isRetained, retain } from "./retain.ts";
import type { Session, SessionDeps } from "./session.ts";

/** Removes a closed session everywhere, records its end, and publishes its will if due (MQTT 3.1.1, 3.1.2.5). */
export function endSession(session: Session, reason: string): void {
  const { deps, principal } = session;
  deps.sessions.delete(session);
  deps.registry.remove(session);
  const isWillDue = isDue(session, reason);
  // This must precede the loop: a stored session keeps its subscriptions until its end is stored.
  session.partStored(isWillDue);
  for (const filter of session.filters ?? []) deps.router.unsubscribe(session, filter);
  if (!endingOf(reason).ofAll) session.outbound.redeliver();
  session.inOrder?.abandon();
  if (principal !== undefined && session.recorded) {
    deps.policy.closeSession(principal, session.sessionId, reason);
    if (!session.persistence?.delaysWill) endWill(session, principal, isWillDue, reason);
  }
  session.budget?.close();
  session.onWaiting();
}

function isDue({ principal, recorded, accepted, isWillAsked }: Session, reason: string): boolean {
  if (principal === undefined || !recorded || !accepted) return false;
  return isWillAsked || endingOf(reason).will === "published";
}

/**
 * Publishes the will if it is due, and deletes its stored copy. Only the process that deletes the copy publishes the
 * will.
 */
function endWill(session: Session, principal: Principal, isWillDue: boolean, reason: string): void {
  const { deps, will } = session;
  if (!will || endingOf(reason).will === "left" || !(isWillDue || session.hasStoredWill)) return;
  const ended = takeWill(deps.persistence.stored, session).then(async (isOurs) => {
    if (isOurs && isWillDue) await publishWill(session, principal, will);
  });
  const logged = ended.catch((error: Error) => deps.logger.warn({ err: error.message }, "a will could not be stored"));
  deps.wills.add(ownerOf(principal), logged);
}

/** Publishes a will under the same rules as any message of the client. */
async function publishWill({ deps }: Session, principal: Principal, will: Will): Promise<void> {
  if (!deps.policy.mayPublish(principal, will.topic)) return;
  await publishFor(deps, principal, willMessage(will, deps.clock.monotonicMs()), will.retain);
}

function willMessage({ topic, payload, qos, properties }: Will, nowMs: number): Message {
  return new Message(topic, payload, qos, forwarded(properties), nowMs);
}

type PublishDeps = Pick<SessionDeps, "policy" | "retained" | "persistence" | "router">;

/** Stores, retains and forwards a message of a client that is no longer connected. */
async function publishFor(deps: PublishDeps, principal: Principal, message: Message, retained: boolean): Promise<void> {
  const { tenantId } = principal;
  await deps.policy.storeMessage(principal, message.topic, message.payload);
  const outcome = retained ? await retain(deps, principal, message) : undefined;
  await publishStored(deps, { tenantId, message, retain: isRetained(outcome), storedFor: new Set() });
}

/** Stores a message for the owners of stored sessions that no process serves, and forwards it. */
export async function publishStored(
  { persistence: { routes }, router }: Pick<SessionDeps, "persistence" | "router">,
  routed: Routed,
): Promise<void> {
  for (;;) {
    if (routed.message.qos > 0) await routes.store(routed);
    const route = routes.route(routed, routed.message);
    if (route) {
      router.publish({ ...routed, route });
      return;
    }
  }
}
