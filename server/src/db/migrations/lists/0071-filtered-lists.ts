/**
 * Indexes for filters of lists that grow for years: a few matches among ten million rows are found without reading the others. Each begins with
 * the tenant and ends with the key, so that it has the order of the list, too.
 *
 * Of deliveries most are sent; those of any other state are the ones that are asked for. Anomalies of a group are found by its devices. The entries of
 * devices without a certificate cost no connect, as such a device has none.
 *
 * Tickets by their last change are read backwards, the newest first; by their due time forwards, the newest first of those that are due at the same time or never.
 */
const indexes = [
  "certificate_audit_by_kind ON certificate_audit (tenant_id, kind, id)",
  "certificate_audit_by_actor ON certificate_audit (tenant_id, actor, id)",
  "admin_audit_by_actor ON admin_audit (tenant_id, actor, id)",
  'admin_audit_by_act ON admin_audit (tenant_id, act COLLATE "C", id)',
  "api_audit_by_operation ON api_audit (tenant_id, operation, id)",
  "api_audit_by_resource ON api_audit (tenant_id, resource, id)",
  "api_audit_by_result ON api_audit (tenant_id, result, id)",
  "deliveries_by_group ON deliveries (tenant_id, group_id, id)",
  "deliveries_by_channel ON deliveries (tenant_id, channel, id)",
  "deliveries_not_sent ON deliveries (tenant_id, state, id) WHERE state <> 'sent'",
  "tickets_listed_by_priority ON tickets (tenant_id, priority, id)",
  "tickets_listed_by_type ON tickets (tenant_id, type, id)",
  "tickets_listed_by_group ON tickets (tenant_id, group_id, id)",
  "tickets_by_change ON tickets (tenant_id, updated_at, id)",
  "tickets_by_due_time ON tickets (tenant_id, due_at, id DESC)",
  "anomalies_of_device ON anomalies (device_uid, id)",
  "devices_without_certificate ON devices (tenant_id, uid) WHERE deleted_at IS NULL AND certificate_revoked IS NULL",
];

export const filteredLists = {
  indexes,
  sql: `
${indexes.map((index) => `CREATE INDEX IF NOT EXISTS ${index};`).join("\n")}
DROP INDEX deliveries_failed;
DROP INDEX tickets_group;
`,
};
