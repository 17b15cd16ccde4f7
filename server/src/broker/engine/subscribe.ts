import type { Frame } from "../codec/cursor.ts";
import { readSubscribe, readUnsubscribe } from "../codec/read-subscribe.ts";
import {
  readSubscribe5,
  readUnsubscribe5,
  type SubscribePacket5,
  type Subscription5,
} from "../codec/read-subscribe5.ts";
import { sharedFilter } from "../codec/shared-filter.ts";
import { writeSuback, writeUnsuback } from "../codec/writers.ts";
import { NO_IDS } from "../message.ts";
import { REASON } from "../policy/answers.ts";
import type { Grant } from "../routing/grant.ts";
import type { Session } from "./session.ts";

const GRANTED = 0;

/** Handles a SUBSCRIBE: one return code per filter, in order [MQTT-3.8.4-5]. @throws {PacketProblem} */
export function takeSubscribe(session: Session, frame: Frame): void {
  const { packetId, properties, subscriptions } = session.version === 5 ? readSubscribe5(frame) : read3(frame);
  const subscriptionIds = properties.subscriptionId === undefined ? NO_IDS : [properties.subscriptionId];
  const filters = new Set(session.filters);
  const codes = subscriptions.map((subscription) => codeOf(session, subscription, filters));
  const suback = writeSuback(packetId, codes, session.version);
  if (!answersLater(session)) session.outbound.packet(suback);
  for (const [index, subscription] of subscriptions.entries()) {
    if (codes[index] === subscription.qos && !session.isClosed)
      subscribe(session, { ...subscription, subscriptionIds });
  }
  session.commands?.deliver();
  if (answersLater(session)) answerLater(session, suback);
}

/**
 * Whether the answer waits until the subscriptions are stored and known to other processes, so that the client can rely
 * on them.
 */
function answersLater({ persistence, deps }: Session): boolean {
  return persistence !== undefined || deps.router.isOneOfSeveral;
}

function answerLater(session: Session, answer: Buffer): void {
  const { persistence, deps, outbound } = session;
  const announced = deps.router.announced();
  if (!persistence && !announced) {
    outbound.packet(answer);
    return;
  }
  Promise.all([persistence?.saveSubscriptions(), announced]).then(
    () => outbound.packet(answer),
    () => session.close("storage_failed"),
  );
}

/**
 * Reads a SUBSCRIBE of MQTT 3.1.1: a subscription receives its own messages, RETAIN 0 for new ones [MQTT-3.3.1-9], and
 * retained messages each time [MQTT-3.8.4-3].
 */
function read3(frame: Frame): SubscribePacket5 {
  const { packetId, subscriptions } = readSubscribe(frame);
  const options = { noLocal: false, retainAsPublished: false, retainHandling: 0 } as const;
  return { packetId, properties: {}, subscriptions: subscriptions.map((each) => ({ ...each, ...options })) };
}

/** Returns the granted QoS, or why none is granted. @param filters of the session, to which a granted one is added */
function codeOf(session: Session, { filter, qos }: Subscription5, filters: Set<string>): number {
  const { deps, principal, version } = session;
  const shared = version === 5 ? sharedFilter(filter) : undefined;
  // A shared subscription is authorized by its filter, so it never receives more than a plain one could.
  const asked = shared && deps.policy.mayShare(principal!) ? shared.filter : filter;
  if (!deps.policy.maySubscribe(principal!, asked)) {
    if (version < 5 || deps.policy.hidesReasons) return REASON.refusedFilter;
    if (shared && asked === filter) return REASON.sharedNotSupported;
    return filter.startsWith("$") && !shared ? REASON.filterInvalid : REASON.notAuthorized;
  }
  if (filters.add(filter).size <= deps.limits.mqttSubscriptions) return qos;
  filters.delete(filter);
  return version < 5 ? REASON.refusedFilter : REASON.quotaExceeded;
}

function subscribe(session: Session, subscription: Subscription5 & Grant): void {
  const { filter, retainHandling } = subscription;
  const { router } = session.deps;
  session.filters ??= new Set();
  const isNew = !session.filters.has(filter);
  session.filters.add(filter);
  router.subscribe(session, filter, subscription);
  session.persistence?.subscribed(filter, subscription);
  // Retained messages are not sent to a shared subscription (MQTT 5, 4.8.2).
  if (session.version === 5 && sharedFilter(filter)) return;
  // MQTT 5: [MQTT-3.3.1-9] to [MQTT-3.3.1-11]
  if (retainHandling === 0 || (retainHandling === 1 && isNew))
    session.deps.retained.deliver(session, filter, subscription);
}

/**
 * Handles an UNSUBSCRIBE, which is acknowledged even without a subscription [MQTT-3.10.4-5]. @throws {PacketProblem}
 */
export function takeUnsubscribe(session: Session, frame: Frame): void {
  const { packetId, filters } = session.version === 5 ? readUnsubscribe5(frame) : readUnsubscribe(frame);
  const codes = filters.map((filter) => {
    if (!session.filters?.delete(filter)) return REASON.noSubscription;
    session.deps.router.unsubscribe(session, filter);
    session.persistence?.unsubscribed(filter);
    return GRANTED;
  });
  const unsuback = writeUnsuback(packetId, codes, session.version);
  if (session.persistence) answerLater(session, unsuback);
  else session.outbound.packet(unsuback);
}
