/** Facts about a column that the catalog lacks. */
export interface Override {
  /** The type in TypeScript, without `null`. */
  readonly type: string;
  /** A comment for the row type. */
  readonly note?: string;
}

const DATE = {
  type: "string",
  note: "`date` arrives as a Date of the process's own time zone: always select it as text.",
};

/**
 * `<table>.<column>` → its type. Every `json` and `jsonb` column must be here, and others if the catalog knows less
 * than the code.
 */
export const overrides: Readonly<Record<string, Override>> = {
  "audit_outbox.entry": { type: "Record<string, unknown>" },
  "scim_users.attributes": { type: "Record<string, unknown>" },
  "saved_filters.values": { type: "Record<string, string>" },
  "stream_partitions.producers": { type: "Record<string, number>" },
  "shared_latest_values.row_writer": { type: "string", note: "Only to be compared: it has 32 bits." },
  "stored_sessions.subscriptions": { type: "object[]", note: "The filter, and what was granted" },
  "stored_sessions.incoming_ids": { type: "number[]" },
  "stored_messages.subscription_ids": { type: "number[]" },
  "admin_audit.after": { type: "object" },
  "admin_audit.before": { type: "object" },
  "anomalies.breached": { type: "unknown" },
  "anomalies.value": { type: "unknown" },
  "deliveries.payload": { type: "unknown" },
  "device_types.metrics": {
    type: `readonly ({ metric: string } & { [Name in "label" | "unit" | "pointer"]?: string | undefined } & {
    factor?: number | undefined;
  })[]`,
  },
  "devices.metadata": { type: "Record<string, unknown>" },
  "events.changed_row": { type: "Record<string, unknown>" },
  "events.xid": { type: "string", note: "Select it as text." },
  "shared_users.email": { type: "string" },
  "groups.channels": { type: '{ type: "email" | "webhook" | "integration"; target: string }[]' },
  "oidc_providers.mapping": { type: '{ value: string; role: "admin" | "operator" | "viewer"; groupIds: string[] }[]' },
  "groups.escalation": { type: '{ afterMinutes: number; notify: "shift" | "members" | "channels" }[]' },
  "integrations.settings": { type: "Record<string, string>" },
  "maintenance_windows.recurrence": {
    type: '{ timeZone: string; startTime: string; endTime: string; daysOfWeek: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]; validFrom: string | null; validUntil: string | null }',
  },
  "notification_inbox.changed_row": { type: "Record<string, unknown>" },
  "rejected_messages.problems": { type: "{ path: string; reason: string }[]" },
  "shifts.days_of_week": { type: '("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]' },
  "shifts.rotation": {
    type: '{ unit: "day" | "week"; every: number; startDate: string; handOverTime: string; turns: string[][] }',
  },
  "shifts.valid_from": DATE,
  "shifts.valid_until": DATE,
  "rule_states.memory": { type: "object[]" },
  "shared_devices.metadata": { type: "Record<string, unknown>" },
  "thresholds.rules": { type: "unknown[]" },
  "ticket_history.changes": { type: "Record<string, { from: unknown; to: unknown }>" },
};
