/**
 * Every credential in the database that opens a door to a person, a program or a device, with the columns that it is
 * compared with. A restore must not reopen a door that was closed after the backup. Every other table is listed as
 * well, so that a new one must be classified; a test compares both lists with the schema.
 */

interface Door {
  /** The columns that identify the credential. */
  readonly columns: readonly string[];
  /** The effect of a restore that does not know what has ended since the backup, without `--revoke-all`. */
  readonly restore: "ended" | "stated";
  /**
   * The effect of `muster revoke-all`, and of `muster restore --revoke-all`. `chosen`: the operator decides. `kept`:
   * the credential authenticates the service, not its clients.
   */
  readonly revokeAll: "ended" | "chosen" | "kept";
}

export const DOORS = {
  session: { columns: ["user_sessions.token_sha256"], restore: "ended", revokeAll: "ended" },
  link: { columns: ["one_time_links.token_sha256"], restore: "ended", revokeAll: "ended" },
  channelLink: { columns: ["channel_addresses.token_sha256"], restore: "ended", revokeAll: "ended" },
  recoveryCode: { columns: ["recovery_codes.code_sha256"], restore: "ended", revokeAll: "ended" },
  scimToken: { columns: ["scim_tokens.token_sha256"], restore: "ended", revokeAll: "ended" },
  password: { columns: ["users.password_hash"], restore: "stated", revokeAll: "ended" },
  factor: { columns: ["user_factors.secret"], restore: "stated", revokeAll: "ended" },
  apiKey: { columns: ["api_keys.secret_hash"], restore: "stated", revokeAll: "ended" },
  mqttClient: { columns: ["mqtt_clients.password_hash"], restore: "stated", revokeAll: "ended" },
  claim: { columns: ["claims.code_hmac"], restore: "stated", revokeAll: "ended" },
  certificate: {
    columns: [
      "certificates.fingerprint_sha256",
      "certificates.serial_number",
      "certificates.spki_sha256",
      "certificates.der",
    ],
    restore: "stated",
    revokeAll: "chosen",
  },
  authority: {
    columns: ["authorities.private_key_pem", "authorities.certificate_der", "authorities.fingerprint_sha256"],
    restore: "stated",
    revokeAll: "kept",
  },
  retiredKey: { columns: ["retired_keys.sealed"], restore: "stated", revokeAll: "kept" },
  webhookSecret: {
    columns: ["webhooks.secret_seed", "webhooks.former_seed", "audit_streams.secret_seed"],
    restore: "stated",
    revokeAll: "kept",
  },
  integration: {
    columns: ["integrations.sealed", "push_keys.public_key", "push_keys.sealed"],
    restore: "stated",
    revokeAll: "kept",
  },
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof DOORS;

/** Columns that resemble a credential, and what they are. */
export const NO_DOORS: Readonly<Record<string, string>> = {
  "api_audit.fingerprint_sha256": "names a certificate",
  "api_audit.key_id": "names a key",
  "api_audit.serial_number": "names a certificate",
  "api_key_blocks.key_id": "names a key",
  "api_key_windows.key_id": "names a key",
  "blocked_keys.spki_sha256": "closes a door; a restore over the present state keeps it",
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
  "idempotency_keys.idempotency_key": "repeats a request of an API key or session, which it needs",
  "idempotency_keys.key_id": "names a key or session",
  "idempotency_keys.request_sha256": "repeats a request of an API key or session, which it needs",
  "settings.key": "names a setting",
  "user_channels.key": "the normalized address",
  "users.password_drawn": "whether the password must be changed",
  "webhooks.key": "the normalized address",
};

/** Tables without a credential. */
export const TABLES_WITHOUT_DOORS: readonly string[] = [
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
  "outages",
  "outage_anomalies",
  "rule_mutes",
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
