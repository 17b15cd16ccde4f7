import type { Aedes, PublishPacket } from "aedes";
import type { BrokerPolicy, Principal } from "../../policy.ts";
import type { ClientSession } from "./client-session.ts";

interface Persistence {
  incomingGetPacket(client: { id: string }, packet: PublishPacket): Promise<unknown>;
}

/**
 * Takes a client's PUBLISH: asks whether it may, hands it over to be stored, and lets aedes go on (route it, acknowledge
 * it) once it is durable. aedes runs the packets of one chunk side by side, so order is kept here.
 */
export function takePublish(
  policy: BrokerPolicy,
  aedes: Aedes,
  session: ClientSession,
  packet: PublishPacket,
  done: (error?: Error) => void,
): void {
  const { principal } = session;
  if (session.over || principal === undefined) {
    done(new Error("the session is over"));
    return;
  }
  if (!policy.mayPublish(principal, packet.topic)) {
    session.over = true;
    session.reason ??= "topic_not_authorised";
    done(new Error("the topic is not authorised"));
    return;
  }
  session.inOrder.add(() => store(policy, aedes, session.clientId, principal, packet), done);
}

function store(
  policy: BrokerPolicy,
  aedes: Aedes,
  clientId: string,
  principal: Principal,
  packet: PublishPacket,
): Promise<void> {
  const payload = packet.payload as Buffer;
  if (packet.qos < 2) return policy.message(principal, packet.topic, payload);
  // QoS 2: one that is known under its packet id was stored when it first came.
  const { persistence } = aedes as unknown as { persistence: Persistence };
  return persistence.incomingGetPacket({ id: clientId }, packet).then(
    () => undefined,
    () => policy.message(principal, packet.topic, payload),
  );
}
