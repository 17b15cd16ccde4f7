import type { Authorities } from "../../authorities/authorities.ts";
import type { Certificates } from "../../certificates/certificates.ts";
import type { Connections } from "../../connections/connections.ts";
import { chainProblem } from "./chain-problem.ts";
import type { ClaimedDevices } from "./claimed-devices.ts";
import { GrantedFilters } from "./granted-filters.ts";
import type { CertificateCredential, ConnectDecision, ConnectRequest, Credential } from "./policy.ts";
import { type Refusals, subjectOf } from "./record-refusals.ts";

export interface AuthorizeConnectDeps {
  certificates: Pick<Certificates, "identifyDevice">;
  connections: Pick<Connections, "authenticateMqttClient">;
  authorities: Pick<Authorities, "intermediatesDer">;
  refusals: Refusals;
  claimedDevices: ClaimedDevices;
}

/**
 * Identifies the client and checks that the client id and the will topic are its own. Rejects if the database fails.
 */
export async function authorizeConnect(deps: AuthorizeConnectDeps, request: ConnectRequest): Promise<ConnectDecision> {
  const decision = await authenticate(deps, request);
  const { willTopic } = request;
  if (!decision.allow || willTopic === undefined) return decision;
  const { principal } = decision;
  if (principal.publishTopics.has(willTopic)) return decision;
  const concerned = { ...subjectOf(principal), topic: willTopic };
  return deps.refusals.refuse(request, "topic_not_authorised", "not_authorized", concerned);
}

function authenticate(deps: AuthorizeConnectDeps, request: ConnectRequest): Promise<ConnectDecision> | ConnectDecision {
  const { credential } = request;
  if (credential.kind === "certificate") return authenticateDevice(deps, request, credential);
  if (credential.kind === "password") return authenticateMqttClient(deps, request, credential);
  const { tlsVersion } = credential;
  deps.claimedDevices.record({ ...request, tlsVersion });
  return deps.refusals.refuse(request, "no_credentials", "not_authorized", { tlsVersion });
}

async function authenticateDevice(
  { certificates, authorities, refusals }: AuthorizeConnectDeps,
  request: ConnectRequest,
  credential: CertificateCredential,
): Promise<ConnectDecision> {
  const device = await certificates.identifyDevice(credential);
  if (!device.ok) {
    const { ok: _, reason, ...concerned } = device;
    const refused = reason === "unverified" ? chainProblem(credential, authorities.intermediatesDer()) : reason;
    return refusals.refuse(request, refused, "not_authorized", concerned);
  }
  const { tenantId, tenantSlug, deviceUid, deviceId, certificateId, serialNumber, fingerprintSha256 } = device;
  // Compared byte for byte: different case, padding or a prefix makes it another id (spec 4.10).
  if (request.clientId !== deviceId) {
    const concerned = { tenantId, deviceId, serialNumber, fingerprintSha256 };
    return refusals.refuse(request, "client_id_mismatch", "identifier_rejected", concerned);
  }
  const principal = {
    tenantId,
    tenantSlug,
    clientId: deviceId,
    deviceUid,
    certificateId,
    serialNumber,
    mqttClientId: undefined,
    publishTopics: new Set(device.publishTopics),
    subscribeFilters: new GrantedFilters(device.subscribeTopics),
  };
  return { allow: true, principal };
}

async function authenticateMqttClient(
  { connections, refusals }: AuthorizeConnectDeps,
  request: ConnectRequest,
  { username, password }: Extract<Credential, { kind: "password" }>,
): Promise<ConnectDecision> {
  const client = await connections.authenticateMqttClient({ clientId: request.clientId, username, password });
  if (!client.ok) {
    const answer = client.reason === "client_suspended" ? "not_authorized" : "bad_credentials";
    return refusals.refuse(request, client.reason, answer, { tenantId: client.tenantId });
  }
  const { mqttClientId, clientId, tenantId, tenantSlug, publishTopics, subscribeFilters } = client.principal;
  const principal = {
    tenantId,
    tenantSlug,
    clientId,
    deviceUid: undefined,
    certificateId: undefined,
    serialNumber: undefined,
    mqttClientId,
    publishTopics: new Set(publishTopics),
    subscribeFilters: new GrantedFilters(subscribeFilters),
  };
  return { allow: true, principal };
}
