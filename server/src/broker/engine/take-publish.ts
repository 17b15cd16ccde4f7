import type { Frame } from "../codec/cursor.ts";
import { type PublishPacket, readPublish } from "../codec/read-publish.ts";
import { Message } from "../routing/message.ts";
import { unsettledBytes } from "../session-budget.ts";
import { InOrder } from "./in-order.ts";
import type { Incoming } from "./incoming.ts";
import { IncomingIds } from "./incoming-ids.ts";
import type { Session } from "./session.ts";

/**
 * Takes a PUBLISH: authorizes, stores and acknowledges it, and lets the messages of QoS 2 that are too many wait. Throws
 * {@link PacketProblem}.
 */
export function takePublish(session: Session, frame: Frame, bytes: number): void {
  const packet = readPublish(frame, session.lastTopic);
  if (!mayPublish(session, packet)) return;
  if (packet.qos < 2) {
    store(session, packet, bytes, false);
    return;
  }
  session.incomingIds ??= new IncomingIds(session.deps.limits, session.budget!);
  const arrived = session.incomingIds.arrived(packet, bytes);
  if (arrived !== "deferred") store(session, packet, bytes, arrived === "repeated");
}

/** Takes a PUBREL, which is answered whether its id is known or not [MQTT-4.3.3-2]; a deferred message has its turn then. */
export function takeRelease(session: Session, id: number): void {
  session.outbound.ack("pubcomp", id);
  const next = session.incomingIds?.release(id);
  if (next) store(session, next.packet, next.bytes, false);
}

/** A publish that is not authorized closes the connection of MQTT 3.1.1 without an acknowledgement [MQTT-3.3.5-2]. */
function mayPublish(session: Session, { topic }: PublishPacket): boolean {
  if (session.deps.policy.mayPublish(session.principal!, topic)) return true;
  session.close("topic_not_authorised");
  return false;
}

function store(session: Session, packet: PublishPacket, bytes: number, isRepeated: boolean): void {
  const { topic, payload } = packet;
  const { policy } = session.deps;
  const retain = packet.retain && !isRepeated && policy.mayRetain(session.principal!, topic, payload.length);
  const unsettled = unsettledBytes(bytes);
  session.budget!.begin(unsettled);
  session.inOrder ??= new InOrder(session);
  session.inOrder.add({ state: "waiting", packet, retain, isRepeated, unsettled });
}

const STORED = Promise.resolve();

/** Stores a message; it is durable when this resolves. */
export function storeIncoming({ deps, principal }: Session, { packet, isRepeated }: Incoming): Promise<void> {
  return isRepeated ? STORED : deps.policy.storeMessage(principal!, packet.topic, packet.payload);
}

/** Passes on and acknowledges a stored message: QoS 1 is passed on first, QoS 2 is acknowledged first [MQTT-4.3.3-2]. */
export function settleIncoming(session: Session, incoming: Incoming, isStored: boolean): void {
  const { packet, unsettled } = incoming;
  if (isStored) {
    if (packet.qos === 2) session.outbound.ack("pubrec", packet.packetId);
    if (!incoming.isRepeated) forward(session, incoming);
    if (packet.qos === 1) session.outbound.ack("puback", packet.packetId);
  }
  session.budget!.settle(unsettled);
}

function forward({ deps, principal }: Session, { packet, retain }: Incoming): void {
  const { topic, payload, qos } = packet;
  deps.router.publish(principal!.tenantId, new Message(topic, payload, qos), retain);
}
