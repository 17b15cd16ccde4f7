/**
 * Every reason in the refusal journal and in the label of `muster_refusals_total`, with its meaning to an operator.
 * `takeover` and `retained_quota` refuse no client. A test compares the table in docs/operations/refusals.md;
 * docs/adding-a-refusal-reason.md explains how to add one.
 */
export const REFUSAL_REASONS = {
  no_chain: "The device sent its certificate without the intermediate that issued it. Closed without a CONNACK",
  wrong_ca: "The certificate was not issued by this service. Closed without a CONNACK",
  not_yet_valid: "The certificate becomes valid later: check the clocks. Closed without a CONNACK",
  expired: "The certificate has expired",
  unknown: "The certificate was issued by this service but is not in its database, for example after a restore",
  revoked: "The certificate is revoked or was replaced by a renewal, or its device is deleted",
  client_id_mismatch: "The client id is not exactly the device id in the certificate",
  no_credentials: "The client sent neither a certificate nor a user name and password",
  bad_credentials: "User name, password and client id are not those of one registered MQTT client",
  client_suspended:
    "The MQTT client is suspended: the user who registered or last enabled it is not an active administrator any more",
  topic_not_authorised: "The client published, subscribed or set its will to a topic that is not on its list",
  retained_quota:
    "The tenant has as many retained messages, or bytes of them, as it may have. The message was delivered and not retained",
  session_quota: "The tenant has as many sessions in this process as it may have. The client was not connected",
  takeover: "The client id connected again, which closed its earlier session. The address is the new session's",
  unavailable: "The database did not answer. Only counted: the journal is in the database",
} as const satisfies Record<string, string>;

export type RefusalReason = keyof typeof REFUSAL_REASONS;
