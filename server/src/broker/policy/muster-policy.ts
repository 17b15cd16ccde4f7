import type { Commands } from "../../commands/commands.ts";
import type { Connections } from "../../connections/connections.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type AuthorizeConnectDeps, authorizeConnect } from "./authorize-connect.ts";
import { ClaimedDevices } from "./claimed-devices.ts";
import type { BrokerPolicy, ConnectDecision, ConnectRequest, OpenedSession, Principal } from "./policy.ts";
import { Refusals, type RefusalsDeps, subjectOf } from "./record-refusals.ts";
import { UnverifiedClients } from "./unverified-clients.ts";

export interface PolicyDeps extends Omit<AuthorizeConnectDeps, "refusals" | "claimedDevices"> {
  connections: AuthorizeConnectDeps["connections"] &
    RefusalsDeps["connections"] &
    Pick<Connections, "openSession" | "closeSession" | "tenantOfDevice">;
  commands: Pick<Commands, "waitingCommands" | "acknowledgeCommand">;
  telemetry: Pick<Telemetry, "ingest">;
  metrics: RefusalsDeps["metrics"] & Pick<Metrics, "connections">;
  logger: Logger;
}

export interface MusterPolicy extends BrokerPolicy {
  /** Records that another process has replaced an open session of this one. @param remoteAddress of the new session */
  recordTakeover(principal: Principal, remoteAddress: string): void;
}

/** Implements the rules of spec 4.10 on the database: `certificates` identifies devices, `connections` MQTT clients. */
export function createMusterPolicy(deps: PolicyDeps): MusterPolicy {
  const refusals = new Refusals(deps);
  const checked = { ...deps, refusals, claimedDevices: new ClaimedDevices(deps.connections) };
  const unverified = new UnverifiedClients(checked);
  return {
    authorizeConnect: (request) => authorizeConnect(checked, request).catch((error) => unavailable(checked, error)),
    recordUnverified: (credential, remoteAddress) => unverified.record(credential, remoteAddress),
    recordTakeover: (principal, remoteAddress) => recordTakeover(refusals, principal, remoteAddress),
    recordSessionQuota: (principal, remoteAddress) =>
      refusals.record({
        reason: "session_quota",
        clientId: principal.clientId,
        remoteAddress,
        ...subjectOf(principal),
      }),
    mayPublish(principal, topic) {
      if (principal.publishTopics.has(topic)) return true;
      refusals.refuseTopic(principal, topic, "topic_not_authorised");
      return false;
    },
    recordUnretained: (principal, topic) => refusals.refuseTopic(principal, topic, "retained_quota"),
    maySubscribe(principal, filter) {
      if (principal.subscribeFilters.covers(filter)) return true;
      refusals.refuseTopic(principal, filter, "topic_not_authorised");
      return false;
    },
    mayKeepSubscription: (principal, filter) => principal.subscribeFilters.covers(filter),
    // Messages for one device must not reach another.
    mayShare: ({ deviceUid }) => deviceUid === undefined,
    mayReceive: (principal, topic) => topic.startsWith(`t/${principal.tenantSlug}/`),
    // Telemetry comes from devices only. Messages from gateways and services go to subscribers only.
    storesMessagesOf: ({ deviceUid }) => deviceUid !== undefined,
    async storeMessage(principal, topic, payload, arrival) {
      const { tenantId, deviceUid, clientId } = principal;
      if (deviceUid === undefined) return undefined;
      return await deps.telemetry.ingest({ tenantId, deviceUid, deviceId: clientId, topic, payload, arrival });
    },
    openSession: (principal, session) => openSession(checked, principal, session),
    closeSession(principal, sessionId, reason) {
      deps.metrics.connections.dec({ kind: kindOf(principal) });
      deps.connections.closeSession(sessionId, reason);
    },
    waitingCommands: async ({ deviceUid }, request) =>
      deviceUid === undefined ? NONE : await deps.commands.waitingCommands({ ...request, deviceUid }),
    acknowledgeCommand: (id) => deps.commands.acknowledgeCommand(id),
  };
}

const NONE = { commands: [], more: false };

type Checked = AuthorizeConnectDeps & PolicyDeps;

function unavailable({ logger, refusals }: Checked, error: Error): ConnectDecision {
  logger.warn({ err: error.message }, "a CONNECT is refused: the database does not answer");
  refusals.count("unavailable");
  return { allow: false, reason: "unavailable", answer: "server_unavailable" };
}

async function openSession(
  { connections, metrics, refusals }: Checked,
  principal: Principal,
  { sessionId, remoteAddress }: { sessionId: string } & Pick<ConnectRequest, "remoteAddress">,
): Promise<OpenedSession> {
  const { tenantId, clientId } = principal;
  const { previous, hasCommands, hasStored, hasWill, awaitReplaced, ended } = await connections.openSession({
    sessionId,
    clientId,
    tenantId,
    deviceUid: principal.deviceUid ?? null,
    certificateId: principal.certificateId ?? null,
    mqttClientId: principal.mqttClientId ?? null,
    remoteAddress,
  });
  if (ended !== undefined) return { replacedHere: undefined, hasCommands, hasStored, hasWill, ended };
  metrics.connections.inc({ kind: kindOf(principal) });
  // If the predecessor is in another process, that process records the takeover: it knows whether the session was still
  // open.
  if (previous?.here) recordTakeover(refusals, principal, remoteAddress);
  const replacedHere = previous?.here ? previous.sessionId : undefined;
  return { replacedHere, hasCommands, hasStored, hasWill, awaitReplaced };
}

function recordTakeover(refusals: Refusals, principal: Principal, remoteAddress: string): void {
  refusals.record({ reason: "takeover", clientId: principal.clientId, remoteAddress, ...subjectOf(principal) });
}

function kindOf(principal: Principal): "device" | "client" {
  return principal.deviceUid === undefined ? "client" : "device";
}
