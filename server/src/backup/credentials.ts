/**
 * Lists every credential in the database, and what a restore does with it, because a restore must not revive access
 * that ended after the backup. Tests read this list, and no other code: one test compares it with the schema, so that
 * every new table and column must be classified; another tries each credential after a restore.
 *
 * - `muster restore --replace` reads the later state from the replaced database. All sessions, links and SCIM tokens
 *   end; any other credential ends if it has ended in the later state (`later-state.ts`).
 * - `muster restore --nothing-revoked-since` without a later state: `withoutLaterState`.
 * - `muster restore --revoke-all` and `muster revoke-all`: `revokeAll`.
 */

interface Credential {
  /** The columns that identify the credential. */
  readonly columns: readonly string[];
  /** `ended`: the credential is deleted. `kept`: it stays valid, as the operator asserts that nothing was revoked. */
  readonly withoutLaterState: "ended" | "kept";
  /** `chosen`: the operator decides. `kept`: the credential authenticates the service, not its clients. */
  readonly revokeAll: "ended" | "chosen" | "kept";
}

export const CREDENTIALS = {
  session: { columns: ["user_sessions.token_sha256"], withoutLaterState: "ended", revokeAll: "ended" },
  link: { columns: ["one_time_links.token_sha256"], withoutLaterState: "ended", revokeAll: "ended" },
  channelLink: { columns: ["channel_addresses.token_sha256"], withoutLaterState: "ended", revokeAll: "ended" },
  recoveryCode: { columns: ["recovery_codes.code_sha256"], withoutLaterState: "ended", revokeAll: "ended" },
  scimToken: { columns: ["scim_tokens.token_sha256"], withoutLaterState: "ended", revokeAll: "ended" },
  password: { columns: ["users.password_hash"], withoutLaterState: "kept", revokeAll: "ended" },
  factor: { columns: ["user_factors.secret"], withoutLaterState: "kept", revokeAll: "ended" },
  passkey: {
    columns: ["passkeys.credential_id", "passkeys.public_key"],
    withoutLaterState: "kept",
    revokeAll: "ended",
  },
  apiKey: { columns: ["api_keys.secret_hash"], withoutLaterState: "kept", revokeAll: "ended" },
  mqttClient: { columns: ["mqtt_clients.password_hash"], withoutLaterState: "kept", revokeAll: "ended" },
  claim: { columns: ["claims.code_hmac"], withoutLaterState: "kept", revokeAll: "ended" },
  certificate: {
    columns: [
      "certificates.fingerprint_sha256",
      "certificates.serial_number",
      "certificates.spki_sha256",
      "certificates.der",
    ],
    withoutLaterState: "kept",
    revokeAll: "chosen",
  },
  authority: {
    columns: ["authorities.private_key_pem", "authorities.certificate_der", "authorities.fingerprint_sha256"],
    withoutLaterState: "kept",
    revokeAll: "kept",
  },
  retiredKey: { columns: ["retired_keys.sealed"], withoutLaterState: "kept", revokeAll: "kept" },
  webhookSecret: {
    columns: ["webhooks.secret_seed", "webhooks.former_seed", "audit_streams.secret_seed"],
    withoutLaterState: "kept",
    revokeAll: "kept",
  },
  integration: {
    columns: ["integrations.sealed", "push_keys.public_key", "push_keys.sealed", "oidc_providers.client_secret"],
    withoutLaterState: "kept",
    revokeAll: "kept",
  },
} as const satisfies Record<string, Credential>;

export type CredentialName = keyof typeof CREDENTIALS;

/** Columns that are named like a credential and are none, with their content. */
export const NOT_CREDENTIALS: Readonly<Record<string, string>> = {
  "api_audit.fingerprint_sha256": "names a certificate",
  "api_audit.key_id": "names a key",
  "api_audit.serial_number": "names a certificate",
  "api_key_blocks.key_id": "names a key",
  "api_key_windows.key_id": "names a key",
  "blocked_keys.spki_sha256": "denies access; a restore over the present database keeps it",
  "certificate_audit.fingerprint_sha256": "names a certificate",
  "certificate_audit.previous_serial_number": "names a certificate",
  "certificate_audit.serial_number": "names a certificate",
  "channel_addresses.key": "the normalized address",
  "channel_addresses.token_expires_at": "a time",
  "claims.code_hint": "the end of a code, for lists",
  "connection_refusals.fingerprint_sha256": "names a certificate",
  "connection_refusals.serial_number": "names a certificate",
  "devices.fingerprint_key": "describes the hardware; a device authenticates with its certificate",
  "devices.hardware_fingerprint": "describes the hardware; a device authenticates with its certificate",
  "disabled_webhooks.target_sha256": "names an address",
  "idempotency_keys.idempotency_key": "repeats a request; the client must authenticate as well",
  "idempotency_keys.key_id": "names a key or session",
  "idempotency_keys.request_sha256": "the digest of a request that may be repeated",
  "settings.key": "names a setting",
  "used_challenges.sha256": "a challenge that a passkey has signed, and that is not accepted again",
  "used_oidc_answers.sha256": "a provider's answer that has been used, and that is not accepted again",
  "user_channels.key": "the normalized address",
  "users.password_drawn": "whether the password must be changed",
  "webhooks.key": "the normalized address",
};

/** Tables without a credential. */
export const TABLES_WITHOUT_CREDENTIALS: readonly string[] = [
  "admin_audit",
  "anomalies",
  "audit_outbox",
  "api_audit",
  "api_key_blocks",
  "api_key_windows",
  "blocked_keys",
  "broker_nodes",
  "certificate_audit",
  "certificate_notices",
  "claim_guesses",
  "client_ids",
  "client_trace_entries",
  "client_traces",
  "complete_nodes",
  "completing_nodes",
  "connection_refusals",
  "wills",
  "deliveries",
  "delivery_attempts",
  "delivery_minutes",
  "device_commands",
  "device_findings",
  "device_groups",
  "device_latest",
  "device_name_numbers",
  "device_thresholds",
  "device_type_thresholds",
  "device_types",
  "devices",
  "disabled_webhooks",
  "events",
  "events_horizon",
  "group_members",
  "group_shifts",
  "groups",
  "idempotency_keys",
  "list_blocks",
  "list_changes",
  "anomaly_snoozes",
  "device_origins",
  "oidc_identities",
  "outages",
  "outage_anomalies",
  "rule_mutes",
  "duty_overrides",
  "absences",
  "maintenance_window_devices",
  "maintenance_windows",
  "mqtt_sessions",
  "notification_inbox",
  "pages",
  "quota_rounds",
  "rejected_messages",
  "request_clock",
  "retained_messages",
  "roll_up_marks",
  "rule_states",
  "saved_filters",
  "schema_migrations",
  "scim_groups",
  "scim_members",
  "scim_users",
  "session_drop_acks",
  "session_drops",
  "settings",
  "shift_users",
  "shifts",
  "sign_in_failures",
  "sign_in_repeats",
  "silence_checks",
  "silence_rechecks",
  "stored_messages",
  "stored_sessions",
  "stream_partitions",
  "stream_processes",
  "stream_progress",
  "suppressed_deliveries",
  "telemetry_chunks",
  "telemetry_deletions",
  "telemetry_hour",
  "telemetry_messages",
  "telemetry_shapes",
  "tenant_domains",
  "used_challenges",
  "used_oidc_answers",
  "tenant_quotas",
  "tenants",
  "thresholds",
  "ticket_comments",
  "ticket_history",
  "ticket_numbers",
  "tickets",
  "user_channels",
  "user_notifications",
];
