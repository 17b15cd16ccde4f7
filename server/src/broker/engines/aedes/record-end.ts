import type { Aedes, PublishPacket } from "aedes";
import type { EngineOptions } from "../../engine.ts";
import type { ClientSession, Will } from "./client-session.ts";

export interface RecordEndDeps extends Pick<EngineOptions, "policy" | "logger"> {
  aedes: Aedes;
}

/** Records the end of a session whose connection has closed, and publishes its will if it is due (MQTT 3.1.1, 3.1.2.5). */
export function recordEnd(deps: RecordEndDeps, session: ClientSession): void {
  session.closing = true;
  session.acks.abandon();
  const { principal, will } = session;
  if (principal === undefined || !session.recorded) return;
  const { disconnected } = session.stream;
  deps.policy.closeSession(
    principal,
    session.sessionId,
    session.reason ?? (disconnected ? "disconnected" : "connection_lost"),
  );
  const isDue = session.accepted && !disconnected && !session.willVoid;
  if (!will || !isDue || !deps.policy.mayPublish(principal, will.topic)) return;
  const retain = will.retain && deps.policy.mayRetain(principal, will.topic, will.payload.length);
  deps.policy
    .storeMessage(principal, will.topic, will.payload)
    .then(() => publish(deps.aedes, { ...will, retain }))
    .catch((error: Error) => deps.logger.warn({ err: error.message }, "a will could not be stored"));
}

function publish(aedes: Aedes, { topic, payload, qos, retain }: Will): Promise<void> {
  const packet = { cmd: "publish", topic, payload, qos, retain, dup: false } as PublishPacket;
  return new Promise((resolve, reject) => {
    aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
  });
}
