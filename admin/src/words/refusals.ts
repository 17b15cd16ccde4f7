import { t } from "#texts/words.ts";
import type { Refusal } from "../api/broker/refusals.ts";

/** The refusal reasons of the broker in a few words; the service tells cause and cure of each. */
export const REFUSAL_REASONS: Readonly<Record<Refusal["reason"], string>> = {
  no_chain: t.chainMissing,
  wrong_ca: t.certificateOfAnotherAuthority,
  not_yet_valid: t.notValidYet,
  expired: t.certificateExpired,
  unknown: t.unknownCertificate,
  revoked: t.certificateRevoked,
  client_id_mismatch: t.wrongClientId,
  no_credentials: t.noCredentials,
  bad_credentials: t.wrongPassword,
  client_suspended: t.mqttClientSuspended,
  topic_not_authorised: t.topicNotAllowed,
  retained_quota: t.tooManyRetainedMessages,
  session_quota: t.tooManySessions,
  takeover: t.sessionTakenOver,
  unavailable: t.databaseUnavailable,
};

/** Returns the name of a refusal. @param revocation the reason of the certificate's revocation, if known */
export function nameOfRefusal(reason: string, revocation?: Refusal["revocationReason"]): string {
  if (revocation === "superseded") return t.certificateReplaced;
  const names: Readonly<Record<string, string>> = REFUSAL_REASONS;
  return names[reason] ?? reason;
}
