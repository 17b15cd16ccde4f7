/** A group may be paged about certificates that are not renewed in time: each such certificate has one anomaly of its own. */
export const lostRenewals = `
ALTER TABLE groups ADD COLUMN pages_lost_renewals boolean NOT NULL DEFAULT false;
CREATE INDEX groups_page_lost_renewals ON groups (id) WHERE pages_lost_renewals;
CREATE OR REPLACE VIEW shared_groups AS
  SELECT id, tenant_id, name, channels, escalation, pages_lost_renewals FROM groups;

-- An anomaly is of a rule, of a certificate, or, with neither, of a device that is silent.
ALTER TABLE anomalies ADD COLUMN certificate_id uuid REFERENCES certificates (id),
  ADD CONSTRAINT anomalies_of_certificate CHECK (certificate_id IS NULL OR rule_id IS NULL);
CREATE OR REPLACE VIEW shared_anomalies AS
  SELECT id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached, severity, status, message, opened_at,
         resolved_at, resolved_by, certificate_id FROM anomalies;
DROP INDEX anomalies_silent;
CREATE UNIQUE INDEX anomalies_silent ON anomalies (device_uid)
  WHERE resolved_at IS NULL AND rule_id IS NULL AND certificate_id IS NULL;
-- Resolved ones included: a certificate pages once.
CREATE UNIQUE INDEX anomalies_certificate ON anomalies (certificate_id) WHERE certificate_id IS NOT NULL;
CREATE INDEX anomalies_lost_renewals ON anomalies (certificate_id) WHERE certificate_id IS NOT NULL AND resolved_at IS NULL;
ALTER TABLE anomalies DROP CONSTRAINT anomalies_end_reason_check, ADD CONSTRAINT anomalies_end_reason_check CHECK (end_reason IN
  ('pack_unassigned_from_device', 'pack_unassigned_from_device_type', 'device_type_changed', 'rule_changed', 'pack_disabled',
   'pack_deleted', 'silence_allowed', 'renewals_not_paged'));

-- Each holds the certificates of its kind alone, in the order in which their renewals are due.
CREATE INDEX certificates_renewal_due ON certificates (renew_after) WHERE revoked_at IS NULL AND kind = 'self_enrolled';
CREATE INDEX certificates_bundles_ending ON certificates (not_after) WHERE revoked_at IS NULL AND kind = 'platform';
`;
