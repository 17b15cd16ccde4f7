import type { Frame } from "../codec/cursor.ts";
import type { Properties } from "../codec/property-table.ts";
import { type ConnectPacket, readConnect, versionOf } from "../codec/read-connect.ts";
import { writeConnack } from "../codec/writers.ts";
import { connackCode } from "../policy/answers.ts";
import type { ConnectAnswer, Credential } from "../policy/policy.ts";
import { openStored } from "../sessions/open-stored.ts";
import { storeWill } from "../sessions/undelayed-will.ts";
import { admit, awaitWills } from "./admit.ts";
import { restoreStored } from "./restore-stored.ts";
import type { Session } from "./session.ts";

const ACCEPTED = 0;
/** The silence allowed per second of keep alive: MQTT grants one and a half times the keep alive [MQTT-3.1.2-24]. */
const SILENCE_MS = 1_500;

/** Handles a CONNECT; no other packet of the client is handled until it is answered. @throws {PacketProblem} */
export function takeConnect(session: Session, frame: Frame): void {
  session.version = versionOf(frame);
  const { clientIds } = session.deps;
  const packet = readConnect(frame, clientIds);
  const refused = session.deps.gate.refusalOf(session.remoteAddress);
  if (refused !== undefined) {
    refuse(session, refused);
    return;
  }
  const keepAlive = keepAliveOf(packet, session.deps.limits.mqtt5KeepAliveSeconds);
  const assigned = packet.clientId === "" ? clientIds?.assign?.() : undefined;
  session.clientId = assigned ?? packet.clientId;
  session.will = packet.will;
  session.maxSilenceMs = keepAlive * SILENCE_MS;
  session.wanted = wantedOf(packet, session.deps.limits.sessionExpirySeconds);
  if (packet.properties) announce(session, packet.properties, keepAlive === packet.keepAlive ? undefined : keepAlive);
  if (session.announced && assigned !== undefined) session.announced.assignedClientId = assigned;
  session.inbound.pauseForConnect();
  void answer(session, credentialOf(session.presented, packet));
}

/** Returns the keep alive to use. An MQTT 5 client can be assigned another, so it always has one [MQTT-3.2.2-21]. */
function keepAliveOf({ version, keepAlive }: ConnectPacket, most: number): number {
  if (version < 5) return keepAlive;
  return keepAlive === 0 ? most : Math.min(keepAlive, most);
}

/** Returns the requested session. MQTT 3.1.1 has no expiry: a session without `clean session` gets the maximum. */
function wantedOf({ version, clean, properties }: ConnectPacket, most: number): Session["wanted"] {
  if (version < 5) return { clean, expirySeconds: clean ? 0 : most };
  return { clean, expirySeconds: Math.min(properties?.sessionExpiry ?? 0, most) };
}

/**
 * Applies the limits that an MQTT 5 client asks for, and collects those for its CONNACK (MQTT 5, 3.2.2.3, 3.1.2.11).
 */
function announce(session: Session, asked: Properties, serverKeepAlive: number | undefined): void {
  const { limits, policy } = session.deps;
  session.outbound.limitTo({
    receiveMaximum: asked.receiveMaximum ?? Infinity,
    maximumPacketSize: asked.maximumPacketSize ?? Infinity,
    topicAliasMaximum: Math.min(asked.topicAliasMaximum ?? 0, limits.mqtt5TopicAliases),
    wantsReasons: asked.requestProblem !== 0 && !policy.hidesReasons,
  });
  session.announced = {
    receiveMaximum: Math.min(limits.mqtt5ReceiveMaximum, 0xffff),
    maximumPacketSize: limits.mqttPacketBytes,
    topicAliasMaximum: limits.mqtt5TopicAliases,
    ...((asked.sessionExpiry ?? 0) > limits.sessionExpirySeconds ? { sessionExpiry: limits.sessionExpirySeconds } : {}),
    ...(serverKeepAlive === undefined ? {} : { serverKeepAlive }),
  };
}

async function answer(session: Session, credential: Credential): Promise<void> {
  const { deps } = session;
  const refused = await open(session, credential).catch((error: Error): ConnectAnswer => {
    deps.logger.error({ err: error }, "admitting a client failed");
    return "server_unavailable";
  });
  if (refused === undefined) accept(session);
  else refuse(session, refused);
}

async function open(session: Session, credential: Credential): Promise<ConnectAnswer | undefined> {
  const { deps, wanted } = session;
  const refused = await deps.connecting.pass(() => admitOpen(session, credential));
  if (refused !== undefined) return refused;
  // At most one of a client's sessions has its messages acknowledged.
  await session.predecessor;
  await awaitWills(session);
  if (session.isClosed) return "not_authorized";
  if (wanted.expirySeconds > 0 || session.hasStored) {
    const unstored = await openStored(deps.persistence, session);
    if (unstored !== undefined) return unstored;
  }
  await storeWill(deps.persistence.stored, session);
  return session.isClosed ? "not_authorized" : undefined;
}

/** Admits the client unless it has left while its CONNECT was queued. */
async function admitOpen(session: Session, credential: Credential): Promise<ConnectAnswer | undefined> {
  return session.isClosed ? "not_authorized" : await admit(session.deps, session, credential);
}

function accept(session: Session): void {
  const { deps, announced, wanted, persistence } = session;
  session.accepted = true;
  if (announced && !deps.policy.mayShare(session.principal!)) announced.sharedAvailable = 0;
  if (announced && wanted.expirySeconds > 0 && !persistence) announced.sessionExpiry = 0;
  const isPresent = persistence?.isPresent ?? false;
  const connack = writeConnack(ACCEPTED, session.version, { properties: announced, isPresent });
  // [MQTT-3.1.2-24]: a client that is too small for a CONNACK cannot be served, and gets no packet before one
  // [MQTT-3.14.0-1].
  if (!session.outbound.permits(connack)) session.close("protocol_error", null);
  else session.outbound.packet(connack);
  deps.listener.authenticated(session.socket, () => session.close("evicted"));
  if (session.isClosed) return;
  session.awaitKeepAlive();
  session.budget = deps.inbound.open(session.principal!.tenantId, () => session.inbound.resumeInBudget());
  if (persistence) restoreStored(session, persistence);
  session.inbound.accept(session.budget);
}

function refuse(session: Session, refused: ConnectAnswer): void {
  if (session.isClosed) return;
  const code = connackCode(refused, session.version);
  if (code !== undefined) session.outbound.packet(writeConnack(code, session.version));
  session.close(refused);
}

/**
 * Returns the credential that counts: a certificate authenticates alone; user name and password count only without one.
 */
function credentialOf(presented: Credential, { username, password }: ConnectPacket): Credential {
  if (presented.kind === "certificate") return presented;
  if (username === undefined || password === undefined) return presented.kind === "none" ? presented : { kind: "none" };
  return { kind: "password", username, password: password.toString("utf8") };
}
