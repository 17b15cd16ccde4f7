import { withTimeout } from "../../lib/timeouts.ts";
import type { BrokerLimits } from "../limits.ts";
import { type BrokerPolicy, type ConnectAnswer, type Credential, ownerOf, type Principal } from "../policy/policy.ts";
import type { SessionRegistry } from "../session-registry.ts";
import type { Session } from "./session.ts";

/** The longest that a client waits until the will of its last connection is stored. */
const WILL_MS = 2_000;

export interface AdmitDeps {
  registry: SessionRegistry;
  policy: BrokerPolicy;
  limits: Pick<BrokerLimits, "mqttSessionsPerTenant">;
}

/**
 * Authorizes a CONNECT and makes the session the current one of its client id. The order of the steps closes every
 * race. The session is registered before the database is read. It is admitted, and thus visible to drops, before the
 * database lists it as the client's session. Its predecessor is ended before the client is answered; `predecessor`
 * waits for one in another process.
 *
 * @returns undefined to accept the CONNECT, otherwise the answer that refuses it
 */
export async function admit(
  deps: AdmitDeps,
  session: Session,
  credential: Credential,
): Promise<ConnectAnswer | undefined> {
  const { registry, policy } = deps;
  const { clientId, remoteAddress } = session;
  registry.register(session);
  const decision = await policy.authorizeConnect({
    clientId,
    remoteAddress,
    credential,
    willTopic: session.will?.topic,
  });
  if (!decision.allow) {
    registry.remove(session);
    session.reason ??= decision.reason;
    return decision.answer;
  }
  const { principal } = decision;
  session.principal = principal;
  if (session.isClosed || session.socket.destroyed) {
    registry.remove(session);
    return "not_authorized";
  }
  if (isBeyondQuota(deps, principal)) {
    registry.remove(session);
    policy.recordSessionQuota(principal, remoteAddress);
    session.reason ??= "session_quota";
    return "session_quota";
  }
  const dropped = registry.admit(session, principal);
  if (dropped !== undefined) {
    session.reason ??= dropped;
    return "not_authorized";
  }
  return await open(deps, session, principal);
}

/**
 * Whether the session exceeds its tenant's quota. A session that replaces another adds none. Sessions being opened
 * count, because they are admitted in the same turn.
 */
function isBeyondQuota({ registry, limits }: AdmitDeps, principal: Principal): boolean {
  return registry.clientsOf(principal.tenantId) >= limits.mqttSessionsPerTenant && !registry.hasSessionOf(principal);
}

async function open(
  { registry, policy }: AdmitDeps,
  session: Session,
  principal: Principal,
): Promise<ConnectAnswer | undefined> {
  const { sessionId, remoteAddress } = session;
  const opened = await policy.openSession(principal, { sessionId, remoteAddress }).catch(() => undefined);
  if (opened === undefined) return "server_unavailable";
  if (opened.ended !== undefined) {
    session.reason ??= opened.ended;
    return "not_authorized";
  }
  // If it closed while the database recorded it as open, its end has not been recorded yet.
  if (session.isClosed) policy.closeSession(principal, sessionId, session.reason ?? "connection_lost");
  else session.recorded = true;
  // The database no longer lists the predecessor. It must end even if this session has closed, or it would stay open
  // unrecorded.
  const { replacedHere, hasCommands } = opened;
  session.hasStored = opened.hasStored;
  session.predecessor = opened.awaitReplaced?.(session.deps.replaceElsewhere);
  if (replacedHere !== undefined) await registry.drop({ sessionId: replacedHere }, "takeover");
  session.hasEarlierWill = opened.hasWill;
  if (hasCommands) session.deliverCommands();
  return session.isClosed ? "not_authorized" : undefined;
}

/**
 * Waits for the wills of an admitted client's earlier connections, so that its messages from now on come after them.
 * This includes wills of a process that crashed. Other clients are admitted meanwhile.
 */
export async function awaitWills({ deps, sessionId, principal, predecessor, hasEarlierWill }: Session): Promise<void> {
  const ownerId = ownerOf(principal!);
  const will = deps.wills.of(ownerId);
  if (will) await withTimeout(will, WILL_MS, () => undefined);
  if (!hasEarlierWill) return;
  const mayEnd = (await predecessor) !== false;
  // A process that has answered may need time to store its end; one that has not has already used up half of the time.
  const leftMs = mayEnd ? 2 * WILL_MS : WILL_MS;
  await withTimeout(deps.publishEarlierWills(ownerId, sessionId, mayEnd), leftMs, () => undefined);
}
