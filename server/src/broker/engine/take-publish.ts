import type { Frame } from "../codec/cursor.ts";
import { freeMemory } from "../codec/packet-memory.ts";
import { PacketProblem } from "../codec/problem.ts";
import { type PublishPacket, readPublish, readPublish5 } from "../codec/read-publish.ts";
import { writeAck5 } from "../codec/writers.ts";
import { REASON } from "../policy/answers.ts";
import { forwarded, Message } from "../routing/message.ts";
import { unsettledBytes } from "../session-budget.ts";
import { InOrder } from "./in-order.ts";
import type { Fate, Incoming } from "./incoming.ts";
import { IncomingAliases, resolveAlias } from "./incoming-aliases.ts";
import { IncomingIds } from "./incoming-ids.ts";
import { MinuteCount } from "./minute-count.ts";
import type { Session } from "./session.ts";

/**
 * Takes a PUBLISH: authorizes, stores and acknowledges it, and lets the messages of QoS 2 that are too many wait. Throws
 * {@link PacketProblem}.
 */
export function takePublish(session: Session, frame: Frame, bytes: number): void {
  const packet = session.version === 5 ? read5(session, frame) : readPublish(frame, session.lastTopic);
  if (!session.deps.policy.mayPublish(session.principal!, packet.topic)) {
    deny(session, packet, bytes);
    return;
  }
  if (packet.qos < 2) {
    settleInOrder(session, packet, bytes, "store");
    return;
  }
  session.incomingIds ??= new IncomingIds(session.deps.limits, session.budget!);
  const arrived = session.incomingIds.arrived(packet, bytes);
  if (arrived !== "deferred") settleInOrder(session, packet, bytes, arrived === "repeated" ? "acknowledge" : "store");
}

/** Takes a PUBREL, which is answered whether its id is known or not [MQTT-4.3.3-2]; a deferred message has its turn then. */
export function takeRelease(session: Session, id: number): void {
  session.outbound.ack("pubcomp", id);
  const next = session.incomingIds?.release(id);
  if (next) settleInOrder(session, next.packet, next.bytes, "store");
}

/** A client of MQTT 5 knows how many messages it may have open [MQTT-3.3.4-7], and how many topic aliases there are [MQTT-3.2.2-17]. */
function read5(session: Session, frame: Frame): PublishPacket {
  const packet = readPublish5(frame, session.lastTopic);
  if (packet.properties?.topicAlias !== undefined) {
    session.aliases ??= new IncomingAliases(session.deps.limits.mqtt5TopicAliases);
    resolveAlias(packet, session.aliases);
  }
  const open = session.openQos1 + (session.incomingIds?.size ?? 0);
  if (packet.qos > 0 && open >= session.deps.limits.mqtt5ReceiveMaximum && !session.incomingIds?.has(packet.packetId)) {
    throw new PacketProblem("too many messages are open", "receive_maximum_exceeded");
  }
  return packet;
}

/**
 * A publish that is not authorized closes the connection of MQTT 3.1.1 without an acknowledgement [MQTT-3.3.5-2]. MQTT 5 has a reason code
 * for it at QoS 1 and 2, and the session stays, unless it happens again and again.
 */
function deny(session: Session, packet: PublishPacket, bytes: number): void {
  if (session.version === 5 && packet.qos > 0 && isDeniedRarely(session)) settleInOrder(session, packet, bytes, "deny");
  else session.close("topic_not_authorised");
}

function isDeniedRarely(session: Session): boolean {
  const { wheel, limits } = session.deps;
  session.denied ??= new MinuteCount();
  return session.denied.add(wheel.now) <= limits.mqtt5Denied;
}

function settleInOrder(session: Session, packet: PublishPacket, bytes: number, fate: Fate): void {
  const { topic, payload } = packet;
  const { policy } = session.deps;
  const retain = packet.retain && fate === "store" && policy.mayRetain(session.principal!, topic, payload.length);
  session.budget!.begin(unsettledBytes(bytes));
  if (packet.qos === 1) session.openQos1++;
  session.inOrder ??= new InOrder(session);
  session.inOrder.add({ state: "waiting", packet, retain, fate, bytes });
}

const SUCCESS = 0;
const DONE = Promise.resolve();

/** Stores a message, also for clients with a stored session that are not connected; it is durable when this resolves. */
export function storeIncoming(session: Session, incoming: Incoming): Promise<void> {
  const { deps, principal } = session;
  const { packet, fate } = incoming;
  if (fate !== "store") return DONE;
  const stored = deps.policy.storeMessage(principal!, packet.topic, packet.payload);
  const isQueued = packet.qos > 0 && deps.persistence.offline.has(principal!.tenantId);
  return isQueued ? enqueue(session, incoming, stored) : stored;
}

async function enqueue({ deps, principal }: Session, incoming: Incoming, stored: Promise<void>): Promise<void> {
  await stored;
  const { offline } = deps.persistence;
  incoming.queuedFor = await offline.enqueue(principal!.tenantId, messageOf(deps, incoming), incoming.retain);
}

/** Passes on and acknowledges a stored message: QoS 1 is passed on first, QoS 2 is acknowledged first [MQTT-4.3.3-2]. */
export function settleIncoming(session: Session, incoming: Incoming, isStored: boolean): void {
  const { packet, fate, bytes } = incoming;
  if (packet.qos === 1) session.openQos1--;
  if (fate === "deny") acknowledge(session, packet, REASON.notAuthorized);
  else if (isStored) {
    if (packet.qos === 2) acknowledge(session, packet, SUCCESS);
    const isForwarded = fate === "store" && forward(session, incoming);
    const isConsumed = fate !== "store" || isForwarded || isStoredByUs(session);
    if (packet.qos === 1) acknowledge(session, packet, isConsumed ? SUCCESS : REASON.noSubscribers);
    if (!isForwarded && !isKept(session, incoming)) freeMemory(packet.payload, bytes);
  }
  session.budget!.settle(unsettledBytes(bytes));
}

/** @param reason of MQTT 5; 3.1.1 has none but success */
function acknowledge(session: Session, { qos, packetId }: PublishPacket, reason: number): void {
  const type = qos === 1 ? "puback" : "pubrec";
  if (reason === SUCCESS || session.version < 5) session.outbound.ack(type, packetId);
  else session.outbound.packet(writeAck5(type, packetId, reason));
}

function isStoredByUs({ deps, principal }: Session): boolean {
  return deps.policy.storesMessagesOf(principal!);
}

/** Whether something may still use the payload of a message that has no subscriber. */
function isKept({ deps, principal }: Session, { packet, retain }: Incoming): boolean {
  return retain || (packet.qos > 0 && deps.persistence.offline.has(principal!.tenantId));
}

/** @returns whether there is a subscriber */
function forward(session: Session, incoming: Incoming): boolean {
  const { deps, principal } = session;
  const { packet, retain, queuedFor } = incoming;
  const { tenantId } = principal!;
  const { offline } = deps.persistence;
  const message = messageOf(deps, incoming);
  if (packet.qos > 0 && offline.has(tenantId)) {
    // For those whose connection has ended since the message was stored.
    offline
      .enqueue(tenantId, message, retain, queuedFor)
      .catch((error: Error) => deps.logger.warn({ err: error.message }, "a message could not be queued"));
  }
  return deps.router.publish(tenantId, message, retain, session, queuedFor);
}

function messageOf({ clock }: Session["deps"], { packet }: Incoming): Message {
  const { topic, payload, qos, properties } = packet;
  return properties
    ? new Message(topic, payload, qos, forwarded(properties), clock.monotonicMs())
    : new Message(topic, payload, qos);
}
