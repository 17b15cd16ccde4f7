import type { Aedes, PublishPacket } from "aedes";
import { packetBytes, unsettledBytes } from "../../packet-rules.ts";
import type { BrokerPolicy, Principal } from "../../policy/policy.ts";
import type { ClientSession } from "./client-session.ts";
import { persistenceOf } from "./persistence.ts";

/**
 * Authorizes and stores a PUBLISH, and lets aedes go on (route it, acknowledge it) once it is durable. aedes handles the
 * packets of one chunk concurrently, so the session's queue keeps the order.
 */
export function handlePublish(
  policy: BrokerPolicy,
  aedes: Aedes,
  session: ClientSession,
  packet: PublishPacket,
  done: (error?: Error) => void,
): void {
  const { principal } = session;
  if (session.closing || principal === undefined) {
    done(new Error("the session is closing"));
    return;
  }
  if (!policy.mayPublish(principal, packet.topic)) {
    session.closing = true;
    session.reason ??= "topic_not_authorised";
    done(new Error("the topic is not authorised"));
    return;
  }
  if (packet.retain && !policy.mayRetain(principal, packet.topic, packet.payload.length)) packet.retain = false;
  const { budget } = session;
  const bytes = unsettledBytes(packetBytes(packet.length!));
  budget?.begin(bytes);
  session.acks.add(
    () => store(policy, aedes, session.clientId, principal, packet),
    (error) => {
      done(error);
      budget?.settle(bytes);
    },
  );
}

function store(
  policy: BrokerPolicy,
  aedes: Aedes,
  clientId: string,
  principal: Principal,
  packet: PublishPacket,
): Promise<void> {
  const payload = packet.payload as Buffer;
  if (packet.qos < 2) return policy.storeMessage(principal, packet.topic, payload);
  // QoS 2: a message that aedes knows under its packet id was stored when it first arrived.
  return persistenceOf(aedes)
    .incomingGetPacket({ id: clientId }, packet)
    .then(
      () => undefined,
      () => policy.storeMessage(principal, packet.topic, payload),
    );
}
