import type { AgentError } from "./errors.ts";
import { isNameError } from "./http.ts";

const LOST_ANSWER =
  "An earlier attempt got no answer and may have succeeded. Ask an administrator to delete this device, then enroll with a new claim code.";

const NAMES_ANOTHER =
  "The server's certificate does not name this address. Use an address that it lists, or ask for the service to be started with MUSTER_PUBLIC_HOST set to this one.";

const ADVICE: Record<string, string> = {
  invalid_claim_code: "Check the code for typos; it looks like CLAIM-XXXX-XXXX-XXXX.",
  claim_expired: "Ask for a new claim code.",
  claim_revoked: "Ask for a new claim code.",
  claim_exhausted: "Ask for a new claim code.",
  reenrollment_proof_required:
    "A device with this fingerprint enrolled before. Use the state folder that contains its certificate, or ask an administrator to delete the device.",
  client_id_in_use: "The claim code was not used up. Enroll again: a new device id is assigned.",
  cert_invalid:
    "The server no longer accepts this device's certificate (revoked, expired, or replaced by a renewal whose answer was lost). Ask an administrator to delete the device or to issue a bundle; a claim code does not help while the device exists.",
  rate_limited: "Wait, then try again.",
  issuance_failed: "The server could not sign just now. Try again shortly.",
  catalog_unavailable: "Try again shortly.",
  unreachable: "Check the address and the network, then try again.",
  untrusted_server:
    "The server's certificate is not trusted by this machine. For a development certificate pass --ca with the server's CA file.",
  refused:
    "The broker closed the connection before accepting it: the certificate is revoked or expired, or the device was deleted. An administrator can see the reason in the list of refusals.",
  revoked:
    "The certificate was revoked, or the device deleted or disabled. The service's list of refusals gives the cause. The device needs a new enrollment, or a bundle issued by an administrator.",
  busy: "The agent tries again by itself.",
  use_another_server: "The agent tries the other server, then returns to the usual one.",
  message_refused:
    "The certificate names the only topics this device may publish on. Compare them with `muster-agent status`.",
  not_acknowledged:
    "The connection is open, so the server may have the messages. Check its log, or wait longer with --drain-timeout.",
  subscription_refused:
    "The certificate names the only topics this device may subscribe to. Set them on the device type, then renew.",
  not_enrolled: "Run `muster-agent enroll` first.",
  state_damaged: "The state folder does not contain one complete identity. Enroll into a new, empty folder.",
  state_locked: "Another muster-agent is changing this state folder. Wait until it has finished.",
  topic_not_authorised:
    "The certificate names the only topics this device may publish on. Ask for the device type to be set, then renew.",
  bad_response: "Check that this address is a Muster server, and that no proxy answers in its place.",
};

/** Codes for which a lost answer is a better explanation than their ordinary advice. */
const EXPLAINED_BY_LOST_ANSWER = new Set(["claim_exhausted", "reenrollment_proof_required"]);

/** Returns what a person can do about `error`, in one or two sentences; undefined for other codes. */
export function adviceFor(error: AgentError): string | undefined {
  if (error.unanswered && EXPLAINED_BY_LOST_ANSWER.has(error.code)) return LOST_ANSWER;
  if (error.code === "untrusted_server" && isNameError(error.cause)) return NAMES_ANOTHER;
  return ADVICE[error.code];
}
