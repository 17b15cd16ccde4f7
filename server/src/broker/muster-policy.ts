import { X509Certificate } from "node:crypto";
import type { Authorities } from "../authorities/authorities.ts";
import type { Certificates } from "../certificates/certificates.ts";
import type { Connections } from "../connections/connections.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { BrokerPolicy, ConnectRequest, Credential, Principal, Verdict } from "./policy.ts";

export interface PolicyDeps {
  certificates: Pick<Certificates, "identifyDevice">;
  connections: Pick<Connections, "authenticateMqttClient" | "openSession" | "closeSession" | "recordRefusal">;
  telemetry: Pick<Telemetry, "ingest">;
  authorities: Pick<Authorities, "intermediatesDer">;
  metrics: Pick<Metrics, "connections" | "refusals">;
  logger: Logger;
}

type Refused = Extract<Verdict, { allow: false }>;

interface Journalled {
  tenantId?: string | undefined;
  deviceId?: string | undefined;
  serialNumber?: string | undefined;
  topic?: string | undefined;
}

/** Attributing strangers to tenants costs a look-up each; beyond so many at once they are journalled without. */
const MAX_ATTRIBUTIONS = 20;
/** A client may ask for what it may not have as often as it likes; the journal needs to know it only so often. */
const MAX_NOTED = 20;

/** The rules of spec 4.10 over the books: `certificates` knows certificates, `connections` everyone who is connected. */
export function createMusterPolicy(deps: PolicyDeps): BrokerPolicy {
  const { connections, metrics, logger } = deps;
  const noted = new WeakMap<Principal, Set<string>>();
  let attributions = 0;

  function refuse(
    request: Pick<ConnectRequest, "remoteAddress"> & { clientId?: string },
    reason: string,
    answer: Refused["answer"],
    more: Journalled = {},
  ): Refused {
    metrics.refusals.inc({ reason: known(reason) });
    const { clientId, remoteAddress } = request;
    connections.recordRefusal({ reason, clientId, remoteAddress, ...more });
    return { allow: false, reason, answer };
  }

  async function connect(request: ConnectRequest): Promise<Verdict> {
    try {
      const verdict = await judge(request);
      if (!verdict.allow || request.willTopic === undefined) return verdict;
      const { principal } = verdict;
      if (principal.publishTopics.has(request.willTopic)) return verdict;
      return refuse(request, "topic_not_authorised", "not_authorized", {
        ...whose(principal),
        topic: request.willTopic,
      });
    } catch (error) {
      logger.warn({ err: (error as Error).message }, "a CONNECT is refused: the database does not answer");
      metrics.refusals.inc({ reason: "unavailable" });
      return { allow: false, reason: "unavailable", answer: "server_unavailable" };
    }
  }

  function judge(request: ConnectRequest): Promise<Verdict> | Verdict {
    const { credential } = request;
    if (credential.kind === "certificate") return judgeCertificate(request, credential);
    if (credential.kind === "password") return judgePassword(request, credential);
    return refuse(request, "no_credentials", "not_authorized");
  }

  async function judgeCertificate(
    request: ConnectRequest,
    credential: Extract<Credential, { kind: "certificate" }>,
  ): Promise<Verdict> {
    const found = await deps.certificates.identifyDevice(credential);
    if (!found.ok) return refuse(request, found.reason, "not_authorized", attributed(found));
    const { tenantId, tenantSlug, deviceUid, deviceId, certificateId, serialNumber } = found;
    // Byte for byte: re-cased, padded or prefixed is another id (spec 4.10).
    if (request.clientId !== deviceId) {
      return refuse(request, "client_id_mismatch", "identifier_rejected", { tenantId, deviceId, serialNumber });
    }
    const principal: Principal = {
      tenantId,
      tenantSlug,
      clientId: deviceId,
      deviceUid,
      certificateId,
      serialNumber,
      mqttClientId: undefined,
      publishTopics: new Set(found.publishTopics),
      subscribeFilters: new Set(found.subscribeTopics),
    };
    return { allow: true, principal };
  }

  async function judgePassword(
    request: ConnectRequest,
    { username, password }: Extract<Credential, { kind: "password" }>,
  ): Promise<Verdict> {
    const found = await connections.authenticateMqttClient({ clientId: request.clientId, username, password });
    if (!found.ok) return refuse(request, "bad_credentials", "bad_credentials", { tenantId: found.tenantId });
    const { mqttClientId, clientId, tenantId, tenantSlug } = found.principal;
    const principal: Principal = {
      tenantId,
      tenantSlug,
      clientId,
      deviceUid: undefined,
      certificateId: undefined,
      serialNumber: undefined,
      mqttClientId,
      publishTopics: new Set(found.principal.publishTopics),
      subscribeFilters: new Set(found.principal.subscribeFilters),
    };
    return { allow: true, principal };
  }

  function unverified(credential: Credential, remoteAddress: string): void {
    if (credential.kind !== "certificate") return;
    const reason = chainProblem(credential, deps.authorities.intermediatesDer());
    if (attributions >= MAX_ATTRIBUTIONS) {
      refuse({ remoteAddress }, reason, "not_authorized");
      return;
    }
    attributions++;
    deps.certificates
      .identifyDevice({ ...credential, problem: reason })
      .then((found) => refuse({ remoteAddress }, reason, "not_authorized", found.ok ? {} : attributed(found)))
      .catch(() => refuse({ remoteAddress }, reason, "not_authorized"))
      .finally(() => {
        attributions--;
      });
  }

  /** Journals a topic or filter that a client asked for and may not have, each once, up to a number. */
  function note(principal: Principal, topic: string): void {
    metrics.refusals.inc({ reason: "topic_not_authorised" });
    const seen = noted.get(principal) ?? new Set<string>();
    if (seen.has(topic) || seen.size >= MAX_NOTED) return;
    noted.set(principal, seen.add(topic));
    connections.recordRefusal({
      reason: "topic_not_authorised",
      clientId: principal.clientId,
      ...whose(principal),
      topic,
    });
  }

  return {
    connect,
    unverified,
    mayPublish(principal, topic) {
      if (principal.publishTopics.has(topic)) return true;
      note(principal, topic);
      return false;
    },
    maySubscribe(principal, filter) {
      if (principal.subscribeFilters.has(filter)) return true;
      note(principal, filter);
      return false;
    },
    mayReceive: (principal, topic) => topic.startsWith(`t/${principal.tenantSlug}/`),
    async message(principal, topic, payload) {
      const { tenantId, deviceUid, clientId } = principal;
      // What a gateway or a platform service sends is for subscribers; telemetry is what devices send.
      if (deviceUid === undefined) return;
      await deps.telemetry.ingest({ tenantId, deviceUid, deviceId: clientId, topic, payload });
    },
    async sessionUp(principal, { sessionId, remoteAddress }) {
      const { tenantId, clientId } = principal;
      const { previous } = await connections.openSession({
        sessionId,
        clientId,
        tenantId,
        deviceUid: principal.deviceUid ?? null,
        certificateId: principal.certificateId ?? null,
        mqttClientId: principal.mqttClientId ?? null,
        remoteAddress,
      });
      metrics.connections.inc({ kind: kindOf(principal) });
      if (previous) refuse({ clientId, remoteAddress }, "takeover", "not_authorized", whose(principal));
      return { replacedHere: previous?.here ? previous.sessionId : undefined };
    },
    sessionDown(principal, sessionId, reason) {
      metrics.connections.dec({ kind: kindOf(principal) });
      connections.closeSession(sessionId, reason);
    },
  };
}

function whose(principal: Principal): Journalled {
  const { tenantId, deviceUid, clientId, serialNumber } = principal;
  return { tenantId, deviceId: deviceUid === undefined ? undefined : clientId, serialNumber };
}

function attributed({ tenantId, deviceId, serialNumber }: Journalled): Journalled {
  return { tenantId, deviceId, serialNumber };
}

function kindOf(principal: Principal): "device" | "client" {
  return principal.deviceUid === undefined ? "client" : "device";
}

const REASONS: ReadonlySet<string> = new Set([
  "no_chain",
  "wrong_ca",
  "unknown",
  "expired",
  "not_yet_valid",
  "revoked",
  "client_id_mismatch",
  "topic_not_authorised",
  "bad_credentials",
  "no_credentials",
  "takeover",
]);

/** Label values come from a closed set. */
function known(reason: string): string {
  return REASONS.has(reason) ? reason : "other";
}

/** OpenSSL's words for why a chain did not verify, as the journal says it. */
function chainProblem(
  credential: Extract<Credential, { kind: "certificate" }>,
  intermediates: readonly Buffer[],
): string {
  switch (credential.problem) {
    case "CERT_HAS_EXPIRED":
      return "expired";
    case "CERT_NOT_YET_VALID":
      return "not_yet_valid";
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return isOurs(credential.der, intermediates) ? "no_chain" : "wrong_ca";
    default:
      return "wrong_ca";
  }
}

function isOurs(der: Buffer, intermediates: readonly Buffer[]): boolean {
  try {
    const leaf = new X509Certificate(der);
    return intermediates.some((intermediate) => {
      const issuer = new X509Certificate(intermediate);
      return leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
    });
  } catch {
    return false;
  }
}
