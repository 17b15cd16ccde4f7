import type { Refusal } from "../api/broker/refusals.ts";

/** The refusal reasons of the broker in a few words; the service tells cause and cure of each. */
export const REFUSAL_REASONS: Readonly<Record<Refusal["reason"], string>> = {
  no_chain: "Chain missing",
  wrong_ca: "Certificate of another authority",
  not_yet_valid: "Not valid yet",
  expired: "Certificate expired",
  unknown: "Unknown certificate",
  revoked: "Certificate revoked",
  client_id_mismatch: "Wrong client id",
  no_credentials: "No credentials",
  bad_credentials: "Wrong password",
  client_suspended: "MQTT client suspended",
  topic_not_authorised: "Topic not allowed",
  retained_quota: "Too many retained messages",
  session_quota: "Too many sessions",
  takeover: "Session taken over",
  unavailable: "Database unavailable",
};

/** Returns the name of a refusal. @param revocation the reason of the certificate's revocation, if known */
export function nameOfRefusal(reason: string, revocation?: Refusal["revocationReason"]): string {
  if (revocation === "superseded") return "Certificate replaced";
  const names: Readonly<Record<string, string>> = REFUSAL_REASONS;
  return names[reason] ?? reason;
}
