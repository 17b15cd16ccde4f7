import { useCase } from "../../access/access.ts";
import type { RefusalReason } from "./refusal-reasons.ts";

export const SYMPTOM_CODES = [
  "handshake_fails",
  "broker_not_verified",
  "closed_after_tls",
  "no_longer_connects",
  "closed_on_use",
  "disconnected_again",
] as const;
export type SymptomCode = (typeof SYMPTOM_CODES)[number];

/**
 * A symptom of a device that does not connect or publish, as a person observes it, with its cause and cure (spec 7,
 * broker-side symptoms).
 */
export interface Symptom {
  code: SymptomCode;
  symptom: string;
  cause: string;
  cure: string;
  /** The matching reasons in the refusal journal; empty if the service cannot detect the symptom. */
  reasons: readonly RefusalReason[];
}

const SYMPTOMS: readonly Symptom[] = [
  {
    code: "handshake_fails",
    symptom: "The TLS handshake fails at once",
    cause:
      "The device presents its certificate without the intermediate that issued it, or a certificate of another authority.",
    cure: "Present the certificate together with its chain: clientCert, then clientCertChain, in one file.",
    reasons: ["no_chain", "wrong_ca", "not_yet_valid"],
  },
  {
    code: "broker_not_verified",
    symptom: "The device reports that the broker's certificate cannot be verified",
    cause:
      "The device trusts another authority than the one that issued the broker's certificate, connects to a name that is not in it, or its clock is wrong.",
    cure: "Give the device the serverCaBundle as its only trusted authorities, connect to the host of the broker's address, and set the clock.",
    reasons: [],
  },
  {
    code: "closed_after_tls",
    symptom: "TLS is accepted, then the connection closes",
    cause:
      "The client id is not exactly the device id, or the certificate is revoked, replaced by a renewal, or not recorded.",
    cure: "Set the client id to the device id. If the certificate is revoked, issue a bundle for the device.",
    reasons: ["client_id_mismatch", "revoked", "unknown", "no_credentials", "bad_credentials"],
  },
  {
    code: "no_longer_connects",
    symptom: "The device was connected, and later cannot connect although nothing was revoked",
    cause: "The certificate has expired: the device did not renew it in time.",
    cure: "Issue a bundle for the device. Then have the device renew from renewAfterUtc on.",
    reasons: ["expired"],
  },
  {
    code: "closed_on_use",
    symptom: "The device connects, and the connection closes when it publishes or subscribes",
    cause: "The topic is not on the list of the device's certificate.",
    cure: "Set the device type, whose topics a certificate takes over when it is issued; then have the device renew and reconnect.",
    reasons: ["topic_not_authorised"],
  },
  {
    code: "disconnected_again",
    symptom: "The device connects and is disconnected again and again",
    cause: "A second client connects under the same client id, and each closes the session of the other.",
    cure: "Find the second client by its address, and stop it. If it uses a copy of the certificate, revoke that.",
    reasons: ["takeover"],
  },
];

/** Returns what prevents devices from connecting and publishing, each with its cause and its cure. */
export const listSymptoms = useCase({ role: "viewer" }, async (): Promise<readonly Symptom[]> => SYMPTOMS);
