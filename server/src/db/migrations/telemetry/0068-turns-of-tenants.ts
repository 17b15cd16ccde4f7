/**
 * Hours are rolled up in turns between tenants: marks have the tenant of their device, and an index by which each tenant's next hour is found. Marks from before,
 * and those of a device that is deleted by then, share a turn of their own: a large installation has a million of them, and storing would wait for their update.
 */
export const turnsOfTenants = `
LOCK TABLE roll_up_marks IN ACCESS EXCLUSIVE MODE;
ALTER TABLE roll_up_marks ADD COLUMN tenant_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
-- Hours that were left as rows, for being too large, are put into several chunks now.
UPDATE roll_up_marks SET chunk_at = hour + interval '62 minutes' WHERE chunk_at = 'infinity';
CREATE INDEX roll_up_marks_turn ON roll_up_marks (tenant_id, chunk_at);
CREATE FUNCTION set_tenant_of_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT d.tenant_id INTO NEW.tenant_id FROM devices d WHERE d.uid = NEW.device_uid;
  NEW.tenant_id := coalesce(NEW.tenant_id, '00000000-0000-0000-0000-000000000000');
  RETURN NEW;
END $$;
CREATE TRIGGER roll_up_marks_of_tenant BEFORE INSERT ON roll_up_marks FOR EACH ROW EXECUTE FUNCTION set_tenant_of_mark();
`;
