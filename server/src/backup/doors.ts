/**
 * Everything in the database that opens a door: what a person, a program or a device shows to be let in, each with the columns that it is
 * compared with. A restore must not open one again that had been closed since the backup. Every other table is listed, too, so that a new one
 * has to be classified; a test compares both with the schema.
 */

interface Door {
  /** The columns by which it is recognized. */
  readonly columns: readonly string[];
  /** What becomes of it when a backup is restored without knowing what has ended since, other than by `--revoke-all`. */
  readonly restore: "ended" | "stated";
  /**
   * What `muster revoke-all`, and `muster restore --revoke-all`, do with it. `chosen`: a person says whether it ends. `kept`: it authenticates
   * the service, not those who come to it.
   */
  readonly revokeAll: "ended" | "chosen" | "kept";
}

export const DOORS = {
  session: { columns: ["user_sessions.token_sha256"], restore: "ended", revokeAll: "ended" },
  link: { columns: ["one_time_links.token_sha256"], restore: "ended", revokeAll: "ended" },
  channelLink: { columns: ["channel_addresses.token_sha256"], restore: "ended", revokeAll: "ended" },
  recoveryCode: { columns: ["recovery_codes.code_sha256"], restore: "ended", revokeAll: "ended" },
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
  webhookSecret: { columns: ["webhooks.secret_seed", "webhooks.former_seed"], restore: "stated", revokeAll: "kept" },
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof DOORS;

/** Columns that look as if they opened a door, and what they are. */
export const NO_DOORS: Readonly<Record<string, string>> = {
  "api_audit.fingerprint_sha256": "names a certificate",
  "api_audit.key_id": "names a key",
  "api_audit.serial_number": "names a certificate",
  "api_key_windows.key_id": "names a key",
  "blocked_keys.spki_sha256": "closes a door; a restore over the present state carries it",
  "certificate_audit.fingerprint_sha256": "names a certificate",
  "certificate_audit.previous_serial_number": "names a certificate",
  "certificate_audit.serial_number": "names a certificate",
  "channel_addresses.key": "the normalized address",
  "channel_addresses.token_expires_at": "a time",
  "claims.code_hint": "the end of a code, for lists",
  "connection_refusals.fingerprint_sha256": "names a certificate",
  "connection_refusals.serial_number": "names a certificate",
  "devices.fingerprint_key": "of the hardware; a device is let in by its certificate",
  "devices.hardware_fingerprint": "of the hardware; a device is let in by its certificate",
  "disabled_webhooks.target_sha256": "names an address",
  "idempotency_keys.idempotency_key": "repeats a request of an API key or session, which it needs",
  "idempotency_keys.key_id": "names a key or session",
  "idempotency_keys.request_sha256": "repeats a request of an API key or session, which it needs",
  "settings.key": "names a setting",
  "user_channels.key": "the normalized address",
  "users.password_drawn": "whether the password must be changed",
  "webhooks.key": "the normalized address",
};

/** Tables without a door. */
export const TABLES_WITHOUT_DOORS: readonly string[] = [
  "admin_audit",
  "anomalies",
  "api_audit",
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
  "delayed_wills",
  "deliveries",
  "delivery_attempts",
  "delivery_minutes",
  "device_commands",
  "device_findings",
  "device_groups",
  "device_latest",
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
  "session_drop_acks",
  "session_drops",
  "settings",
  "shift_users",
  "shifts",
  "sign_in_failures",
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
