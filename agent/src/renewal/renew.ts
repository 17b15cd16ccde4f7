import type { MqttVersion } from "../connection/reasons.ts";
import { openSession } from "../connection/session.ts";
import { AgentError, asAgentError } from "../errors.ts";
import { endpoint, type JsonObject, optionalTexts, postJson, requiredText } from "../http.ts";
import { type DeviceRecord, filesOf, type Identity } from "../state/identity.ts";
import { withStateLock } from "../state/lock.ts";
import { clearSent, dropPending, markSent, pendingRequest } from "../state/pending.ts";
import { finishCommit, loadCandidate, loadIdentity, promoteCandidate, stageCandidate } from "../state/state.ts";

/** Options of a renewal. */
export interface RenewOptions {
  stateDir: string;
  /** The MQTT version with which the new certificate first connects; `auto` by default. */
  mqttVersion?: MqttVersion | "auto" | undefined;
}

/**
 * Renews once without an agent: requests a new certificate, connects to the broker with it, and only then replaces the
 * old one. For a running device use {@link MusterAgent.renew}, which keeps its session.
 *
 * @throws AgentError with the server's code; with the broker's failure code if the new certificate could not connect
 *   (it is kept, and the next `renew` or `run` retries it)
 */
export async function renew({ stateDir, mqttVersion }: RenewOptions): Promise<Identity> {
  return renewWith(stateDir, async (candidate) => (await openSession(candidate, { mqttVersion })).end());
}

/**
 * Performs the steps of every renewal, around `prove`, which connects with the candidate and throws if it cannot. A
 * candidate of an earlier renewal is reused instead of requesting another, because the server has already revoked its
 * predecessor.
 */
export async function renewWith(stateDir: string, prove: (candidate: Identity) => Promise<void>): Promise<Identity> {
  // This comes before the lock, whose file needs the folder.
  await loadIdentity(stateDir);
  return withStateLock(stateDir, async () => {
    await finishCommit(stateDir);
    const candidate = (await loadCandidate(stateDir)) ?? (await requestRenewal(stateDir));
    await prove(candidate);
    await promoteCandidate(stateDir);
    return loadIdentity(stateDir);
  });
}

/** Requests a certificate for a new key with the current certificate, and stages it (spec 4.9). */
async function requestRenewal(stateDir: string): Promise<Identity> {
  const current = await loadIdentity(stateDir);
  const pending = await pendingRequest(stateDir);
  const url = endpoint(current.device.server, current.device.renewalEndpoint);
  const credentials = { caPem: current.httpsCaPem, certPem: current.fullchainPem, keyPem: current.keyPem };
  await markSent(stateDir);
  let answer: JsonObject;
  try {
    answer = await postJson(url, { csr: pending.csrPem }, credentials);
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (!pending.unanswered && !error.unanswered) await clearSent(stateDir);
    throw pending.unanswered ? explained(error) : error;
  }
  const issued = {
    keyPem: pending.keyPem,
    clientCert: requiredText(answer, "clientCert"),
    clientCertChain: requiredText(answer, "clientCertChain"),
    serverCaBundle: requiredText(answer, "serverCaBundle"),
  };
  await stageCandidate(stateDir, filesOf(issued, deviceAfter(current.device, answer), current.httpsCaPem));
  await dropPending(stateDir);
  return (await loadCandidate(stateDir))!;
}

function deviceAfter(device: DeviceRecord, answer: JsonObject): DeviceRecord {
  return {
    ...device,
    certExpiresAt: requiredText(answer, "certExpiresAt"),
    renewAfterUtc: requiredText(answer, "renewAfterUtc"),
    // The server resolves topics at each issuance; if its answer has none, they have not changed.
    publishTopics: optionalTexts(answer, "publishTopics") ?? device.publishTopics,
    // Only if the server answers with topics does the absence of subscribe topics mean that there are none.
    subscribeTopics:
      optionalTexts(answer, "subscribeTopics") ?? (answer.publishTopics === undefined ? device.subscribeTopics : []),
  };
}

/** Returns the error of retrying a renewal that succeeded and whose answer was lost (spec 7, `cert_invalid`). */
function explained(error: AgentError): AgentError {
  if (error.code !== "cert_invalid") return error;
  const details: ConstructorParameters<typeof AgentError>[2] = { unanswered: true, cause: error };
  if (error.status !== undefined) details.status = error.status;
  if (error.requestId !== undefined) details.requestId = error.requestId;
  return new AgentError(
    error.code,
    `${error.message} An earlier renewal got no answer; it probably succeeded and revoked this certificate.`,
    details,
  );
}
