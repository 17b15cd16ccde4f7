import { AgentError, asAgentError } from "./errors.ts";
import { endpoint, type JsonObject, optionalTexts, postJson, requiredText } from "./http.ts";
import { type DeviceRecord, filesOf, type Identity } from "./identity.ts";
import { openSession } from "./session.ts";
import { withStateLock } from "./state/lock.ts";
import { dropPending, pendingRequest, recordAnswered, recordSent } from "./state/pending.ts";
import { finishCommit, loadCandidate, loadIdentity, promoteCandidate, stageCandidate } from "./state/state.ts";

/** Whose certificate to renew. */
export interface RenewOptions {
  stateDir: string;
}

/**
 * Renews once, by itself: asks for a new certificate, connects to the broker with it, and only then lets it replace the
 * old one. For a running device use {@link MusterAgent.renew}, which keeps its session.
 *
 * @throws AgentError with the server's code; the broker's failure codes when the new certificate could not connect (it
 *   is kept, and the next `renew` or `run` tries it again)
 */
export async function renew(options: RenewOptions): Promise<Identity> {
  return renewWith(options.stateDir, async (candidate) => (await openSession(candidate)).end());
}

/**
 * The steps of every renewal, around `prove`, which connects with the candidate and throws if it cannot.
 * A candidate left by an earlier renewal is proven instead of asking again: the server already revoked its predecessor.
 */
export async function renewWith(stateDir: string, prove: (candidate: Identity) => Promise<void>): Promise<Identity> {
  // Before the lock, which would need the folder.
  await loadIdentity(stateDir);
  return withStateLock(stateDir, async () => {
    await finishCommit(stateDir);
    const candidate = (await loadCandidate(stateDir)) ?? (await requestRenewal(stateDir));
    await prove(candidate);
    await promoteCandidate(stateDir);
    return loadIdentity(stateDir);
  });
}

/** Asks for a certificate for a new key, presenting the current one, and stages what comes back (spec 4.9). */
async function requestRenewal(stateDir: string): Promise<Identity> {
  const current = await loadIdentity(stateDir);
  const pending = await pendingRequest(stateDir);
  const url = endpoint(current.device.server, current.device.renewalEndpoint);
  const credentials = { caPem: current.httpsCaPem, certPem: current.fullchainPem, keyPem: current.keyPem };
  await recordSent(stateDir);
  let answer: JsonObject;
  try {
    answer = await postJson(url, { csr: pending.csrPem }, credentials);
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (!pending.unanswered && !error.unanswered) await recordAnswered(stateDir);
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
    // Topics are resolved again at each issuance; a server that does not repeat them has not changed them.
    publishTopics: optionalTexts(answer, "publishTopics") ?? device.publishTopics,
  };
}

/** Spec 7, `cert_invalid`: the retry of a renewal that succeeded and whose answer was lost. */
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
