/** Claims show which groups they name, so that none of these is deleted; test messages of a group are found by it. */
export const groups = `
CREATE OR REPLACE VIEW shared_claims AS
  SELECT id, tenant_id, status, expires_at, intended_device_type_id, intended_group_ids FROM claims;
CREATE INDEX deliveries_group_tests ON deliveries (group_id, id) WHERE type = 'group.test';
`;
