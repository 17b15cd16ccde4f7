import type { Frame } from "../codec/cursor.ts";
import { readSubscribe, readUnsubscribe } from "../codec/read-subscribe.ts";
import { writeSuback, writeUnsuback } from "../codec/writers.ts";
import type { Session } from "./session.ts";

const REFUSED = 0x80;

/** Takes a SUBSCRIBE: one return code for each filter, in their order [MQTT-3.8.4-5]. Throws {@link PacketProblem}. */
export function takeSubscribe(session: Session, frame: Frame): void {
  const { packetId, subscriptions } = readSubscribe(frame);
  const { policy, router } = session.deps;
  const granted = subscriptions.map(({ filter }) => policy.maySubscribe(session.principal!, filter));
  const codes = subscriptions.map(({ qos }, index) => (granted[index] ? qos : REFUSED));
  session.outbound.packet(writeSuback(packetId, codes));
  for (const [index, { filter, qos }] of subscriptions.entries()) {
    if (!granted[index] || session.isClosed) continue;
    session.filters ??= new Set();
    session.filters.add(filter);
    router.subscribe(session, filter, qos);
  }
}

/** Takes an UNSUBSCRIBE, which is acknowledged whether there was a subscription or not [MQTT-3.10.4-5]. Throws {@link PacketProblem}. */
export function takeUnsubscribe(session: Session, frame: Frame): void {
  const { packetId, filters } = readUnsubscribe(frame);
  for (const filter of filters) {
    if (session.filters?.delete(filter)) session.deps.router.unsubscribe(session, filter);
  }
  session.outbound.packet(writeUnsuback(packetId));
}
