import type { Frame } from "../codec/cursor.ts";
import { PacketProblem } from "../codec/problem.ts";
import { checkNoBody } from "../codec/read-acks.ts";
import { readDisconnect5 } from "../codec/read-disconnect.ts";
import type { Session } from "./session.ts";

/**
 * Handles a DISCONNECT: the will is void [MQTT-3.14.4-3] unless an MQTT 5 client asks for it. @throws {PacketProblem}
 */
export function takeDisconnect(session: Session, frame: Frame): void {
  if (session.version < 5) checkNoBody(frame);
  else take5(session, frame);
  session.close("disconnected");
}

function take5(session: Session, frame: Frame): void {
  const { reason, properties } = readDisconnect5(frame);
  // [MQTT-3.14.2-2]: a session that was opened without an expiry cannot get one at its end.
  const expiry = properties?.sessionExpiry;
  if (expiry && session.wanted.expirySeconds === 0) {
    throw new PacketProblem("a session expiry at the end", "protocol_error");
  }
  if (expiry !== undefined && session.persistence) {
    session.persistence.expirySeconds = Math.min(expiry, session.deps.limits.sessionExpirySeconds);
  }
  session.isWillAsked = reason !== 0;
}
