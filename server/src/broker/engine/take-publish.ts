import { isUtf8 } from "node:buffer";
import type { NotStored } from "../../telemetry/telemetry.ts";
import { DIRECT, type Route } from "../bus/bus.ts";
import type { Frame } from "../codec/cursor.ts";
import { freeMemory } from "../codec/packet-memory.ts";
import { PacketProblem } from "../codec/problem.ts";
import { type PublishPacket, readPublish, readPublish5 } from "../codec/read-publish.ts";
import { forwarded, Message } from "../message.ts";
import { REASON } from "../policy/answers.ts";
import { pendingBytes } from "../session-budget.ts";
import type { Routed } from "../sessions/stored-routes.ts";
import { publishStored } from "./end-session.ts";
import { InOrder, type OrderedOwner } from "./in-order.ts";
import type { Fate, Incoming } from "./incoming/incoming.ts";
import { IncomingAliases, resolveAlias } from "./incoming/incoming-aliases.ts";
import { IncomingIds } from "./incoming/incoming-ids.ts";
import { MinuteCount } from "./incoming/minute-count.ts";
import { isRetained, retain } from "./retain.ts";
import type { Session } from "./session.ts";

/**
 * Handles a PUBLISH: authorizes, stores and acknowledges it. QoS 2 messages beyond the window are deferred. Each
 * message passes through {@link storeIncoming}, {@link isComplete} and {@link finishIncoming}, in the order of arrival.
 *
 * @throws {PacketProblem}
 */
export function takePublish(session: Session, frame: Frame, bytes: number): void {
  const packet = session.version === 5 ? read5(session, frame) : readPublish(frame, session.lastTopic);
  if (!session.deps.policy.mayPublish(session.principal!, packet.topic)) {
    deny(session, packet, bytes);
    return;
  }
  if (packet.qos < 2) {
    queueInOrder(session, packet, bytes, "store");
    return;
  }
  session.incomingIds ??= new IncomingIds(session.deps.limits, session.budget!);
  const arrived = session.incomingIds.arrived(packet, bytes, (frame.first & DUP) !== 0);
  if (arrived !== "deferred") queueInOrder(session, packet, bytes, arrived === "repeated" ? "acknowledge" : "store");
}

/**
 * Handles a PUBREL, which is answered whether or not its id is known [MQTT-4.3.3-2], and processes the next deferred
 * message.
 */
export function takeRelease(session: Session, id: number): void {
  session.outbound.ack("pubcomp", id);
  releaseId(session, id);
}

function releaseId(session: Session, id: number): void {
  const next = session.incomingIds?.release(id);
  if (next) queueInOrder(session, next.packet, next.bytes, "store");
}

/**
 * Reads a PUBLISH. An MQTT 5 client knows the limits on open messages [MQTT-3.3.4-7] and topic aliases [MQTT-3.2.2-17].
 */
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
 * Denies an unauthorized publish. In MQTT 3.1.1 it closes the connection without an acknowledgement [MQTT-3.3.5-2].
 * MQTT 5 has a reason code for it with QoS 1 and 2, and the session stays open unless this happens too often.
 */
function deny(session: Session, packet: PublishPacket, bytes: number): void {
  if (session.version === 5 && packet.qos > 0 && isDeniedRarely(session)) queueInOrder(session, packet, bytes, "deny");
  else session.close("topic_not_authorised");
}

function isDeniedRarely(session: Session): boolean {
  const { wheel, limits } = session.deps;
  session.denied ??= new MinuteCount();
  return session.denied.add(wheel.now) <= limits.mqtt5Denied;
}

function queueInOrder(session: Session, packet: PublishPacket, bytes: number, fate: Fate): void {
  session.budget!.begin(pendingBytes(bytes));
  if (packet.qos === 1) session.openQos1++;
  session.inOrder ??= new InOrder(new PublishSteps(session));
  session.inOrder.add({ state: "waiting", packet, fate, bytes });
}

/** The steps of a PUBLISH after its arrival, which `InOrder` calls when their turn has come. */
class PublishSteps implements OrderedOwner<Incoming> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  store(incoming: Incoming): Promise<void> {
    return storeIncoming(this.#session, incoming);
  }

  isComplete(incoming: Incoming): boolean {
    return isComplete(this.#session, incoming);
  }

  finished(incoming: Incoming, isStored: boolean): void {
    finishIncoming(this.#session, incoming, isStored);
  }
}

const SUCCESS = 0;
const DUP = 8;
const DONE = Promise.resolve();
const NONE = new Set<string>();

/** Stores a message, also for clients whose stored session no process serves. Durable once this resolves. */
function storeIncoming(session: Session, incoming: Incoming): Promise<void> {
  const { deps, principal } = session;
  const { packet, fate } = incoming;
  if (fate !== "store") return DONE;
  if (incoming.isIngested) return storeForOwners(session, incoming);
  incoming.arrival ??= { sender: session };
  const stored = deps.policy
    .storeMessage(principal!, packet.topic, packet.payload, incoming.arrival)
    .then((notStored) => setRefusal(incoming, notStored));
  const isQueued = packet.qos > 0 && deps.persistence.routes.has(principal!.tenantId);
  return isQueued || packet.retain ? storeMore(session, incoming, stored) : stored;
}

function setRefusal(incoming: Incoming, notStored: NotStored | undefined): void {
  if (notStored?.storedValues === 0) incoming.refusal = notStored.reason;
}

async function storeMore(session: Session, incoming: Incoming, stored: Promise<void>): Promise<void> {
  const { deps, principal } = session;
  const isToRetain = incoming.packet.retain ? retain(deps, principal!, messageOf(deps, incoming)) : undefined;
  const [, retained] = await Promise.all([stored, isToRetain]);
  if (retained) incoming.retained = retained;
  incoming.isIngested = true;
  if (incoming.packet.qos > 0) await storeForOwners(session, incoming);
}

function storeForOwners(session: Session, incoming: Incoming): Promise<void> {
  return session.deps.persistence.routes.store(routedOf(session, incoming));
}

function routedOf({ deps, principal }: Session, incoming: Incoming): Routed {
  incoming.storedFor ??= new Set();
  const { storedFor } = incoming;
  const message = messageOf(deps, incoming);
  return { tenantId: principal!.tenantId, message, retain: isRetained(incoming.retained), storedFor };
}

/**
 * Determines the route of a stored message to the owners of stored sessions. @returns false if it must first be stored
 * for one of them
 */
function isComplete(session: Session, incoming: Incoming): boolean {
  incoming.isIngested = true;
  incoming.route = routeOf(session, incoming);
  return incoming.route !== undefined;
}

function routeOf({ deps, principal }: Session, { packet, fate, storedFor = NONE }: Incoming): Route | undefined {
  const { routes } = deps.persistence;
  const { tenantId } = principal!;
  if (fate !== "store" || (storedFor.size === 0 && !routes.has(tenantId))) return DIRECT;
  return routes.route({ tenantId, storedFor }, packet);
}

/** Forwards and acknowledges a stored message: QoS 1 is forwarded first, QoS 2 acknowledged first [MQTT-4.3.3-2]. */
function finishIncoming(session: Session, incoming: Incoming, isStored: boolean): void {
  const { packet, fate, bytes } = incoming;
  if (packet.qos === 1) session.openQos1--;
  if (fate === "deny") acknowledge(session, incoming, REASON.notAuthorized);
  else if (isStored) {
    if (packet.qos === 2) acknowledge(session, incoming, failureOf(incoming) ?? SUCCESS);
    const isForwarded = fate === "store" && forward(session, incoming);
    if (packet.qos === 1) acknowledge(session, incoming, pubackReason(session, incoming, isForwarded));
    if (!isForwarded && !isKept(session, incoming)) freeMemory(packet.payload, bytes);
  }
  session.budget!.release(pendingBytes(bytes));
}

function pubackReason(session: Session, incoming: Incoming, isForwarded: boolean): number {
  const isConsumed = incoming.fate !== "store" || isForwarded || isStoredByUs(session);
  return failureOf(incoming) ?? (isConsumed ? SUCCESS : REASON.noSubscribers);
}

/** Returns the code of a message that is not retained, or not stored at all, although subscribers may receive it. */
function failureOf({ packet, retained, refusal }: Incoming): number | undefined {
  if (retained === "quota") return REASON.quotaExceeded;
  if (refusal === undefined || isRetained(retained)) return undefined;
  const isToBeText = packet.properties?.payloadFormat === 1;
  return isToBeText && !isUtf8(packet.payload) ? REASON.payloadFormatInvalid : REASON.notStored;
}

/** @param reason for MQTT 5; MQTT 3.1.1 can only acknowledge success */
function acknowledge(session: Session, { packet, refusal }: Incoming, reason: number): void {
  const { qos, packetId } = packet;
  const type = qos === 1 ? "puback" : "pubrec";
  if (reason === SUCCESS || session.version < 5) {
    session.outbound.ack(type, packetId);
    return;
  }
  const isOfPayload = reason === REASON.notStored || reason === REASON.payloadFormatInvalid;
  const text = isOfPayload ? `nothing of this message was stored: ${refusal}` : undefined;
  session.outbound.refusal(type, packetId, reason, text);
  // [MQTT-4.3.3-9]
  if (qos === 2 && reason >= 0x80) releaseId(session, packetId);
}

function isStoredByUs({ deps, principal }: Session): boolean {
  return deps.policy.storesMessagesOf(principal!);
}

/** Whether the payload of a message without subscribers may still be in use. */
function isKept({ deps, principal }: Session, { packet, retained }: Incoming): boolean {
  return retained === "retained" || (packet.qos > 0 && deps.persistence.routes.has(principal!.tenantId));
}

/** @returns whether there is a subscriber */
function forward(session: Session, incoming: Incoming): boolean {
  const { deps, principal } = session;
  // Sessions that have ended skip `isComplete`, so the message is routed here.
  const route = incoming.route ?? routeOf(session, incoming);
  if (route) {
    const { tenantId } = principal!;
    const message = messageOf(deps, incoming);
    return deps.router.publish({ tenantId, message, retain: isRetained(incoming.retained), route }, session);
  }
  publishStored(deps, routedOf(session, incoming)).catch((error: Error) =>
    deps.logger.warn({ err: error.message }, "a message could not be queued"),
  );
  return true;
}

function messageOf({ clock }: Session["deps"], { packet }: Incoming): Message {
  const { topic, payload, qos, properties } = packet;
  return properties
    ? new Message(topic, payload, qos, forwarded(properties), clock.monotonicMs())
    : new Message(topic, payload, qos);
}
