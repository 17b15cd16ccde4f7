/**
 * The owner table: which feature of `server/src` each database table belongs to. Only the owner's folder reads and
 * writes its tables. Other features call the owner's facade, or read a view `shared_<table>` or `device_viewers`.
 *
 * `npm run check` enforces it (`tools/ownership/`). A table that a migration creates needs a row here.
 */
export const owners: Record<string, readonly string[]> = {
  access: [
    "tenants",
    "tenant_domains",
    "users",
    "api_keys",
    "api_key_windows",
    "api_key_blocks",
    "request_clock",
    "tenant_quotas",
    "quota_rounds",
    "saved_filters",
  ],
  identity: [
    "user_sessions",
    "sign_in_failures",
    "sign_in_repeats",
    "one_time_links",
    "user_factors",
    "recovery_codes",
    "passkeys",
    "used_challenges",
    "oidc_providers",
    "oidc_identities",
    "used_oidc_answers",
  ],
  scim: ["scim_tokens", "scim_users", "scim_groups", "scim_members"],
  audit: ["certificate_audit", "api_audit", "admin_audit", "idempotency_keys"],
  devices: [
    "devices",
    "device_types",
    "device_groups",
    "device_thresholds",
    "device_type_thresholds",
    "device_findings",
  ],
  groups: ["groups", "group_members", "shifts", "shift_users", "group_shifts"],
  certificates: ["certificates", "blocked_keys"],
  enrollment: ["claims", "claim_guesses", "device_name_numbers"],
  connections: [
    "client_ids",
    "mqtt_clients",
    "broker_nodes",
    "complete_nodes",
    "completing_nodes",
    "mqtt_sessions",
    "device_origins",
    "session_drops",
    "session_drop_acks",
    "connection_refusals",
    "client_traces",
    "client_trace_entries",
    "stored_sessions",
    "stored_messages",
    "retained_messages",
    "wills",
  ],
  commands: ["device_commands"],
  telemetry: [
    "telemetry_messages",
    "telemetry_shapes",
    "telemetry_chunks",
    "device_latest",
    "telemetry_hour",
    "roll_up_marks",
    "rejected_messages",
    "telemetry_deletions",
    "stream_partitions",
    "stream_progress",
    "stream_processes",
  ],
  rules: ["thresholds", "rule_states", "silence_checks", "silence_rechecks"],
  anomalies: ["anomalies"],
  tickets: ["tickets", "ticket_numbers", "ticket_history", "ticket_comments"],
  events: ["events", "events_horizon"],
  notifications: [
    "audit_streams",
    "audit_outbox",
    "notification_inbox",
    "pages",
    "deliveries",
    "delivery_attempts",
    "delivery_minutes",
    "suppressed_deliveries",
    "channel_addresses",
    "user_channels",
    "user_notifications",
    "certificate_notices",
    "webhooks",
    "integrations",
    "push_keys",
    "disabled_webhooks",
    "anomaly_snoozes",
    "outages",
    "outage_anomalies",
    "rule_mutes",
    "maintenance_windows",
    "maintenance_window_devices",
    "duty_overrides",
    "absences",
    "duty_feeds",
    "hand_overs",
  ],
  authorities: ["authorities", "settings", "retired_keys"],
  lists: ["list_blocks", "list_changes"],
  db: ["schema_migrations"],
};

/** Folders that may read every table and write none. */
export const readers: readonly string[] = ["doctor"];

/**
 * Folders that may compute a table's name (`sql.table(name)`): the counted lists work on the table they are given,
 * telemetry on partitions of its tables.
 */
export const computedNames: readonly string[] = ["lists", "telemetry"];

/** Views that every feature may read; a migration may create no other. */
export function isSharedView(name: string): boolean {
  return name === "device_viewers" || name.startsWith("shared_");
}
