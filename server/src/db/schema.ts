import type { Generated, GeneratedAlways } from "kysely";

/**
 * The row types of every table, as the newest migration leaves them. Column comments live in the migrations.
 * `bigint` arrives as a string; `timestamptz` as a Date; `bytea` as bytes.
 */
export interface Schema {
  settings: SettingsTable;
  tenants: TenantsTable;
  users: UsersTable;
  api_keys: ApiKeysTable;
  api_key_windows: ApiKeyWindowsTable;
  request_clock: RequestClockTable;
  device_types: DeviceTypesTable;
  groups: GroupsTable;
  group_members: GroupMembersTable;
  shifts: ShiftsTable;
  shift_users: ShiftUsersTable;
  group_shifts: GroupShiftsTable;
  claims: ClaimsTable;
  devices: DevicesTable;
  device_groups: DeviceGroupsTable;
  certificates: CertificatesTable;
  client_ids: ClientIdsTable;
  blocked_keys: BlockedKeysTable;
  device_findings: DeviceFindingsTable;
  claim_guesses: ClaimGuessesTable;
  certificate_audit: CertificateAuditTable;
  list_blocks: ListBlocksTable;
  list_changes: ListChangesTable;
  api_audit: ApiAuditTable;
  idempotency_keys: IdempotencyKeysTable;
  mqtt_clients: MqttClientsTable;
  broker_nodes: BrokerNodesTable;
  mqtt_sessions: MqttSessionsTable;
  session_drops: SessionDropsTable;
  session_drop_acks: SessionDropAcksTable;
  connection_refusals: ConnectionRefusalsTable;
  telemetry: TelemetryTable;
  telemetry_latest: TelemetryLatestTable;
  rejected_messages: RejectedMessagesTable;
  thresholds: ThresholdsTable;
  device_thresholds: DeviceThresholdsTable;
  device_type_thresholds: DeviceTypeThresholdsTable;
  rule_states: RuleStatesTable;
  anomalies: AnomaliesTable;
  authorities: AuthoritiesTable;
  ticket_numbers: TicketNumbersTable;
  tickets: TicketsTable;
  ticket_history: TicketHistoryTable;
  events: EventsTable;
  deliveries: DeliveriesTable;
  device_viewers: DeviceViewersView;
}

export interface SettingsTable {
  key: string;
  value: string;
}

export interface TenantsTable {
  id: string;
  slug: string;
  name: string;
  created_at: Date;
  telemetry_retention_days: Generated<number>;
}

export interface UsersTable {
  id: string;
  tenant_id: string;
  email: string;
  role: "admin" | "operator" | "viewer";
  password_hash: string;
  status: Generated<"active" | "deactivated">;
  created_at: Date;
  deleted_at: Date | null;
}

export interface ApiKeysTable {
  id: string;
  tenant_id: string;
  user_id: string;
  name: string;
  secret_hash: Buffer;
  scopes: string[];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  revoked_by: string | null;
  revocation_reason: "requested" | "creator_deactivated" | "creator_deleted" | "creator_password_reset" | null;
  last_used_at: Date | null;
  last_used_address: string | null;
}

export interface ApiKeyWindowsTable {
  key_id: string;
  passed: number;
  times: number[];
}

export interface RequestClockTable {
  one: Generated<true>;
  ms: number;
  wall_ms: number;
}

export interface DeviceTypesTable {
  id: string;
  tenant_id: string;
  name: string;
  publish_topics: string[];
  subscribe_topics: Generated<string[]>;
  created_at: Date;
  updated_at: Date;
  silent_for_seconds: number | null;
}

export interface GroupsTable {
  id: string;
  tenant_id: string;
  name: string;
  description: Generated<string>;
  channels: Generated<{ type: "email" | "webhook"; target: string }[]>;
  escalation: Generated<{ afterMinutes: number; notify: "shift" | "members" | "channels" }[]>;
  created_at: Date;
  updated_at: Date;
}

export interface GroupMembersTable {
  group_id: string;
  user_id: string;
}

export interface ShiftsTable {
  id: string;
  tenant_id: string;
  name: string;
  time_zone: string;
  start_time: string;
  end_time: string;
  days_of_week: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  /** `date` arrives as a Date of the process's own zone: always select it as text. */
  valid_from: string | null;
  valid_until: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface ShiftUsersTable {
  tenant_id: string;
  shift_id: string;
  user_id: string;
}

export interface GroupShiftsTable {
  tenant_id: string;
  group_id: string;
  shift_id: string;
}

export interface ClaimsTable {
  id: string;
  tenant_id: string;
  code_hmac: Buffer;
  code_hint: string;
  intended_name: string;
  intended_group_ids: string[] | null;
  intended_device_type_id: string | null;
  status: Generated<"pending" | "used" | "revoked">;
  max_uses: number;
  used_count: Generated<number>;
  expires_at: Date;
  created_at: Date;
  created_by: string;
  revoked_at: Date | null;
  revoked_by: string | null;
  last_redeemed_at: Date | null;
}

export interface DevicesTable {
  uid: string;
  tenant_id: string;
  id: string;
  name: string;
  description: Generated<string>;
  device_type_id: string | null;
  metadata: Generated<Record<string, unknown>>;
  hardware_fingerprint: string | null;
  fingerprint_key: string | null;
  hardware_model: string | null;
  agent_version: string | null;
  agent_capabilities: Generated<string[]>;
  mac_address: string | null;
  connectivity: Generated<"never_seen" | "online" | "offline">;
  connectivity_since: Date | null;
  connectivity_reason: string | null;
  connectivity_seq: Generated<string>;
  last_seen_at: Date | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface DeviceGroupsTable {
  device_uid: string;
  group_id: string;
}

export interface CertificatesTable {
  id: string;
  tenant_id: string;
  device_uid: string;
  device_id: string;
  kind: "self_enrolled" | "platform";
  serial_number: string;
  fingerprint_sha256: string;
  spki_sha256: Buffer;
  der: Buffer;
  subject: string;
  publish_topics: string[];
  subscribe_topics: string[];
  issued_at: Date;
  not_before: Date;
  not_after: Date;
  renew_after: Date | null;
  issued_by: string;
  claim_id: string | null;
  revoked_at: Date | null;
  revoked_by: string | null;
  revocation_reason: "superseded" | "requested" | "device_deleted" | null;
  superseded_by_id: string | null;
  last_connected_at: Date | null;
}

export interface ClientIdsTable {
  client_id: string;
  tenant_id: string;
  holder: "device" | "mqtt_client";
  live_until: Date;
}

export interface BlockedKeysTable {
  spki_sha256: Buffer;
  reason: string;
  blocked_at: Date;
}

export interface DeviceFindingsTable {
  id: string;
  tenant_id: string;
  device_uid: string;
  kind: "shared_key";
  certificate_id: string | null;
  at: Date;
}

export interface ClaimGuessesTable {
  address: string;
  at: Date;
}

export interface CertificateAuditTable {
  seq: GeneratedAlways<string>;
  id: string;
  tenant_id: string;
  kind: "device_cert_minted" | "device_cert_enrolled" | "device_cert_renewed" | "device_cert_revoked";
  at: Date;
  actor: string;
  device_id: string;
  certificate_id: string;
  serial_number: string;
  previous_serial_number: string | null;
  fingerprint_sha256: string;
  claim_id: string | null;
}

export interface ApiAuditTable {
  id: string;
  tenant_id: string;
  at: Date;
  key_id: string;
  operation: string;
  resource: string;
  resource_id: string;
  result: "created" | "updated" | "revoked" | "unchanged";
  address: string | null;
  request_id: string;
  certificate_id: string | null;
  serial_number: string | null;
  fingerprint_sha256: string | null;
}

export interface IdempotencyKeysTable {
  key_id: string;
  idempotency_key: string;
  operation: string;
  request_sha256: Buffer;
  resource_id: string;
  at: Date;
  answer: string | null;
}

export interface ListBlocksTable {
  tenant_id: string;
  list: string;
  variant: string;
  upto: string;
  size: number | null;
  counts_after: string | null;
}

export interface ListChangesTable {
  tenant_id: string;
  list: string;
  variant: string;
  at: string;
  change: number;
}

export interface MqttClientsTable {
  id: string;
  tenant_id: string;
  client_id: string;
  username: string;
  password_hash: string;
  publish_topics: string[];
  subscribe_filters: string[];
  created_at: Date;
  disabled_at: Date | null;
}

export interface BrokerNodesTable {
  id: string;
  started_at: Date;
  beat_at: Date;
}

export interface MqttSessionsTable {
  client_id: string;
  session_id: string;
  seq: string;
  node_id: string;
  previous_session_id: string | null;
  previous_node_id: string | null;
  tenant_id: string;
  device_uid: string | null;
  certificate_id: string | null;
  mqtt_client_id: string | null;
  remote_address: string;
  connected_at: Date;
}

export interface SessionDropsTable {
  seq: GeneratedAlways<string>;
  at: Date;
  certificate_id: string | null;
  device_uid: string | null;
  mqtt_client_id: string | null;
  client_id: string | null;
  session_id: string | null;
  reason: string;
}

export interface SessionDropAcksTable {
  seq: string;
  node_id: string;
}

export interface ConnectionRefusalsTable {
  id: string;
  tenant_id: string | null;
  at: Date;
  reason: string;
  client_id: string | null;
  device_id: string | null;
  serial_number: string | null;
  fingerprint_sha256: string | null;
  remote_address: string | null;
  topic: string | null;
}

export interface TelemetryTable {
  device_uid: string;
  metric: string;
  ts: Date;
  number: number | null;
  flag: boolean | null;
  text: string | null;
  received_at: Date;
  time_replaced: Generated<boolean>;
  retention_days: number;
}

export interface TelemetryLatestTable {
  device_uid: string;
  metric: string;
  ts: Date;
  number: number | null;
  flag: boolean | null;
  text: string | null;
  received_at: Date;
  time_replaced: Generated<boolean>;
  follows: Date | null;
}

export interface RejectedMessagesTable {
  id: string;
  device_uid: string;
  at: Date;
  topic: string;
  reason: string;
  payload: Buffer;
}

export interface ThresholdsTable {
  id: string;
  tenant_id: string;
  name: string;
  description: Generated<string>;
  enabled: Generated<boolean>;
  rules: unknown[];
  created_at: Date;
  revision: Generated<number>;
  updated_at: Date;
  since_revision: Generated<number>;
}

export interface DeviceThresholdsTable {
  tenant_id: string;
  device_uid: string;
  threshold_id: string;
}

export interface DeviceTypeThresholdsTable {
  tenant_id: string;
  device_type_id: string;
  threshold_id: string;
}

export interface RuleStatesTable {
  device_uid: string;
  rule_id: string;
  threshold_id: string;
  phase: "pending" | "clearing";
  since: Date;
}

export interface AnomaliesTable {
  id: string;
  tenant_id: string;
  device_uid: string;
  device_id: string;
  threshold_id: string | null;
  rule_id: string | null;
  metric: string | null;
  value: unknown;
  breached: unknown;
  severity: "critical" | "major" | "minor" | "warning";
  status: Generated<"open" | "acknowledged" | "resolved">;
  message: string;
  opened_at: Date;
  last_observed_at: Date;
  occurrences: string;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  comment: string | null;
  resolved_at: Date | null;
  resolved_by: string | null;
  ticket_id: string | null;
}

export interface AuthoritiesTable {
  id: string;
  role: "device_root" | "device_intermediate" | "server_root" | "broker_server" | "https_server";
  name: string;
  status: "upcoming" | "active" | "retiring" | "retired";
  issuer_id: string | null;
  certificate_der: Buffer;
  private_key_pem: string | null;
  fingerprint_sha256: string;
  not_before: Date;
  not_after: Date;
  created_at: Date;
  take_over_at: Date | null;
  activated_at: Date | null;
  retiring_at: Date | null;
  retired_at: Date | null;
}

export interface TicketNumbersTable {
  tenant_id: string;
  last: number;
}

export interface TicketsTable {
  id: string;
  tenant_id: string;
  number: number;
  title: string;
  description: Generated<string>;
  type: "corrective" | "preventive" | "inspection";
  priority: "low" | "medium" | "high" | "urgent";
  status: Generated<"open" | "in_progress" | "on_hold" | "completed" | "cancelled">;
  device_uid: string | null;
  device_id: string | null;
  anomaly_id: string | null;
  group_id: string | null;
  assignee_user_id: string | null;
  due_at: Date | null;
  resolution: string | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
}

export interface TicketHistoryTable {
  seq: GeneratedAlways<string>;
  id: string;
  tenant_id: string;
  ticket_id: string;
  at: Date;
  actor: string;
  changes: Record<string, { from: unknown; to: unknown }>;
}

export interface EventsTable {
  seq: GeneratedAlways<string>;
  /** Select it as text. */
  xid: GeneratedAlways<string>;
  tenant_id: string;
  at: Date;
  kind: string;
  device_id: string | null;
  device_uid: string | null;
  data: Record<string, unknown>;
}

export interface DeliveriesTable {
  id: string;
  tenant_id: string;
  type: string;
  channel: "email" | "webhook";
  target: string;
  user_id: string | null;
  group_id: string | null;
  anomaly_id: string | null;
  payload: unknown;
  dedupe: Buffer | null;
  created_at: Date;
  next_at: Date;
  attempts: Generated<number>;
  claimed_at: Date | null;
  claimed_by: string | null;
  maybe_sent: Generated<boolean>;
  maybe_sent_before: Generated<boolean>;
  state: Generated<"pending" | "sent" | "failed" | "digested">;
  done_at: Date | null;
  last_error: string | null;
  digest_id: string | null;
}

/** Which devices a user who is no admin sees; a pair appears once for every group that both belong to. */
export interface DeviceViewersView {
  device_uid: string;
  user_id: string;
}
