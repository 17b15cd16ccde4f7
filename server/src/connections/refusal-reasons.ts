/**
 * Every reason for which the broker refuses a client, with what it means to an operator. The refusal journal, the label of
 * `muster_refusals_total` and the table in docs/operations.md take their values from here; docs/adding-a-refusal-reason.md says how
 * to add one.
 */
export const REFUSAL_REASONS = {
  no_chain:
    "The device presented its certificate without the intermediate that issued it. It is disconnected in the TLS handshake",
  wrong_ca: "The certificate was not issued by this service. The client is disconnected in the TLS handshake",
  not_yet_valid:
    "The certificate becomes valid later: check the clocks. The client is disconnected in the TLS handshake",
  expired: "The certificate has expired",
  unknown:
    "The certificate was issued by this service but is not recorded in its database, for example after a restore",
  revoked: "The certificate is revoked or was replaced by a renewal, or its device is deleted",
  client_id_mismatch: "The client id of the CONNECT is not exactly the device id of the certificate",
  no_credentials: "The client presented neither a certificate nor a user name and password",
  bad_credentials: "User name, password and client id do not belong to one registered MQTT client",
  topic_not_authorised: "The client published, subscribed or set its will to a topic that it is not authorised for",
  takeover: "The client id connected again, which closed its earlier session. The address is that of the new session",
  unavailable: "The database did not answer. Counted, but not recorded in the journal",
} as const satisfies Record<string, string>;

export type RefusalReason = keyof typeof REFUSAL_REASONS;
