import { delayMs, ENROLLMENT } from "./connection/backoff.ts";
import { AgentError, asAgentError, isTransient } from "./errors.ts";
import {
  endpoint,
  type HttpsCredentials,
  type JsonObject,
  optionalText,
  optionalTexts,
  postJson,
  requiredText,
} from "./http.ts";
import { type Runtime, systemRuntime } from "./runtime.ts";
import { diskSteps } from "./state/files.ts";
import { type DeviceRecord, filesOf, type Identity } from "./state/identity.ts";
import { withStateLock } from "./state/lock.ts";
import { clearSent, dropPending, markSent, type PendingRequest, pendingRequest } from "./state/pending.ts";
import { commitFiles, finishCommit, loadIdentity } from "./state/state.ts";
import { AGENT_VERSION } from "./version.ts";

/** The fields of the redemption request (spec 2.2), and where to store the identity. */
export interface EnrollOptions {
  /** The service's base address, https. */
  server: string;
  claimCode: string;
  hardwareFingerprint: string;
  hardwareModel: string;
  /** The folder is created if it does not exist, readable only by the owner. */
  stateDir: string;
  /** An additional trust anchor for the HTTPS server, PEM text; stored for renewals. */
  caPem?: string;
  /** This package's version by default. */
  agentVersion?: string;
  agentCapabilities?: string[];
  reportedMacAddress?: string;
  /** The number of attempts while the server is unreachable or overloaded; 5 by default. */
  attempts?: number;
  runtime?: Runtime;
}

const PATH = "/api/provisioning/claim";
const DEFAULT_ATTEMPTS = 5;

/**
 * Redeems a claim code for a certificate and stores the identity in the state folder. An existing certificate of the
 * same server is presented as proof for the re-enrollment (spec 3.1), and the device id stays the same.
 *
 * @throws AgentError with the server's code (spec 7), or `unreachable`, `untrusted_server`, `bad_response`,
 *   `state_locked`
 */
export async function enroll(options: EnrollOptions): Promise<Identity> {
  const url = endpoint(options.server, PATH);
  await diskSteps.makeFolder(options.stateDir);
  return withStateLock(options.stateDir, async () => {
    await finishCommit(options.stateDir);
    const before = await proofOf(options);
    const caPem = options.caPem ?? before?.httpsCaPem;
    const pending = await pendingRequest(options.stateDir);
    const credentials: HttpsCredentials = { caPem, certPem: before?.fullchainPem, keyPem: before?.keyPem };
    const answer = await redeem(url, options, pending, credentials);
    await commitFiles(options.stateDir, filesFrom(answer, options, pending.keyPem, caPem));
    await dropPending(options.stateDir);
    return loadIdentity(options.stateDir);
  });
}

/**
 * Returns the identity that proves the re-enrollment. An identity of another server proves nothing and is not
 * presented.
 */
async function proofOf(options: EnrollOptions): Promise<Identity | undefined> {
  try {
    const identity = await loadIdentity(options.stateDir);
    return new URL(identity.device.server).origin === new URL(options.server).origin ? identity : undefined;
  } catch (error) {
    if (error instanceof AgentError && error.code === "not_enrolled") return undefined;
    throw error;
  }
}

async function redeem(
  url: URL,
  options: EnrollOptions,
  pending: PendingRequest,
  credentials: HttpsCredentials,
): Promise<JsonObject> {
  const runtime = options.runtime ?? systemRuntime;
  const attempts = options.attempts ?? DEFAULT_ATTEMPTS;
  let unanswered = pending.unanswered;
  for (let attempt = 0; ; attempt++) {
    await markSent(options.stateDir);
    try {
      return await postJson(url, requestBody(options, pending.csrPem), credentials);
    } catch (thrown) {
      const error = asAgentError(thrown);
      unanswered ||= error.unanswered;
      // The mark stays while an answer may have been lost; it explains a later `claim_exhausted`.
      if (!unanswered) await clearSent(options.stateDir);
      if (attempt + 1 >= attempts || !isTransient(error)) throw unanswered ? withUnanswered(error) : error;
      await runtime.sleep(error.retryAfterMs ?? delayMs(ENROLLMENT, attempt, runtime.random()));
    }
  }
}

function requestBody(options: EnrollOptions, csr: string): JsonObject {
  return {
    claimCode: options.claimCode,
    hardwareFingerprint: options.hardwareFingerprint,
    hardwareModel: options.hardwareModel,
    agentVersion: options.agentVersion ?? AGENT_VERSION,
    csr,
    agentCapabilities: options.agentCapabilities,
    reportedMacAddress: options.reportedMacAddress,
  };
}

function filesFrom(answer: JsonObject, options: EnrollOptions, keyPem: string, caPem: string | undefined) {
  const mqtt = answer.mqtt;
  if (typeof mqtt !== "object" || mqtt === null) throw new AgentError("bad_response", "The answer has no mqtt part.");
  const broker = mqtt as JsonObject;
  const device: DeviceRecord = {
    deviceId: requiredText(answer, "deviceId"),
    server: options.server,
    brokerUrl: requiredText(broker, "brokerUrl"),
    topicPrefix: requiredText(broker, "topicPrefix"),
    publishTopics: optionalTexts(broker, "publishTopics") ?? [],
    subscribeTopics: optionalTexts(broker, "subscribeTopics") ?? [],
    certExpiresAt: requiredText(answer, "certExpiresAt"),
    renewAfterUtc: requiredText(answer, "renewAfterUtc"),
    renewalEndpoint: optionalText(answer, "renewalEndpoint") ?? "/api/provisioning/cert/renew",
    hardwareFingerprint: options.hardwareFingerprint,
    hardwareModel: options.hardwareModel,
    agentVersion: options.agentVersion ?? AGENT_VERSION,
  };
  const issued = {
    keyPem,
    clientCert: requiredText(broker, "clientCert"),
    clientCertChain: requiredText(broker, "clientCertChain"),
    serverCaBundle: requiredText(broker, "serverCaBundle"),
  };
  return filesOf(issued, device, caPem);
}

function withUnanswered(error: AgentError): AgentError {
  if (error.unanswered) return error;
  const { status, requestId, detail, retryAfterMs, cause = error } = error;
  const known = Object.entries({ status, requestId, detail, retryAfterMs }).filter(([, value]) => value !== undefined);
  return new AgentError(error.code, error.message, { ...Object.fromEntries(known), unanswered: true, cause });
}
