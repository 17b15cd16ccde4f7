/** What the admin app lists: certificates by expiry and by kind, devices whose certificates have other topics than their type. */
export const certificateLists = `
CREATE INDEX certificates_by_expiry ON certificates (tenant_id, not_after, id) WHERE revoked_at IS NULL;
CREATE INDEX certificates_platform_by_expiry ON certificates (tenant_id, not_after, id) WHERE kind = 'platform' AND revoked_at IS NULL;
CREATE INDEX certificates_listed_platform ON certificates (tenant_id, id) WHERE kind = 'platform';

CREATE OR REPLACE VIEW shared_certificates AS
  SELECT id, tenant_id, device_uid, device_id, kind, serial_number, fingerprint_sha256, issued_at, not_after, renew_after, claim_id,
         revoked_at, revocation_reason, publish_topics, subscribe_topics FROM certificates;

CREATE OR REPLACE VIEW shared_mqtt_sessions AS
  SELECT client_id, tenant_id, device_uid, certificate_id, connected_at, remote_address FROM mqtt_sessions;

CREATE OR REPLACE VIEW shared_claims AS SELECT id, tenant_id, status, expires_at, intended_device_type_id FROM claims;

-- A deleted device type leaves the claims that have named it. Open ones keep it from being deleted.
ALTER TABLE claims DROP CONSTRAINT claims_tenant_id_intended_device_type_id_fkey,
  ADD CONSTRAINT claims_tenant_id_intended_device_type_id_fkey FOREIGN KEY (tenant_id, intended_device_type_id)
    REFERENCES device_types (tenant_id, id) ON DELETE SET NULL (intended_device_type_id);
CREATE INDEX claims_device_type ON claims (tenant_id, intended_device_type_id) WHERE intended_device_type_id IS NOT NULL;
`;
