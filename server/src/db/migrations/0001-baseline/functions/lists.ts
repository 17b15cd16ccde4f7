/**
 * Changes of counted lists (decision 0008). Nearly all rows are newer than every counted block, so triggers ask for a
 * block first and call record_list_change only if there is one.
 */
export const listsFunctions = `
-- Records that a row entered or left a list, after the row was written: NULL for "left_variant" means a new row, NULL
-- for "entered_variant" a removed one; with both, the row moved between two variants. '' is the variant of a list
-- without any. The blocks are read with a snapshot that is newer than the row's transaction number: counts_after
-- depends on this.
CREATE FUNCTION record_list_change(the_list text, tenant uuid, key uuid, left_variant text, entered_variant text)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'rows of lists are written in READ COMMITTED transactions only';
  END IF;
  IF EXISTS (SELECT 1 FROM list_blocks b WHERE b.tenant_id = tenant AND b.list = the_list AND b.upto >= key) THEN
    INSERT INTO list_changes (tenant_id, list, variant, at, change)
    SELECT tenant, the_list, c.variant, key, c.change
    FROM (VALUES
      ('', CASE WHEN left_variant IS NULL THEN 1 WHEN entered_variant IS NULL THEN -1 END),
      (nullif(left_variant, ''), -1),
      (nullif(entered_variant, ''), 1)
    ) c (variant, change)
    WHERE c.variant IS NOT NULL AND c.change IS NOT NULL AND EXISTS (SELECT 1 FROM list_blocks b
      WHERE b.tenant_id = tenant AND b.list = the_list AND b.variant = c.variant AND b.upto >= key);
  END IF;
END $$;

-- For lists without variants.
CREATE FUNCTION list_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_list_change(TG_TABLE_NAME, NEW.tenant_id, NEW.id, NULL, '');
  ELSE
    PERFORM record_list_change(TG_TABLE_NAME, OLD.tenant_id, OLD.id, '', NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER admin_audit_listed AFTER INSERT ON admin_audit
  FOR EACH ROW WHEN (NEW.tenant_id IS NOT NULL) EXECUTE FUNCTION list_row();
CREATE TRIGGER api_audit_listed AFTER INSERT ON api_audit
  FOR EACH ROW EXECUTE FUNCTION list_row();
CREATE TRIGGER groups_listed AFTER INSERT OR DELETE ON groups
  FOR EACH ROW EXECUTE FUNCTION list_row();
CREATE TRIGGER shifts_listed AFTER INSERT OR DELETE ON shifts
  FOR EACH ROW EXECUTE FUNCTION list_row();
CREATE TRIGGER thresholds_listed AFTER INSERT OR DELETE ON thresholds
  FOR EACH ROW EXECUTE FUNCTION list_row();

-- For lists that can be filtered by status.
CREATE FUNCTION list_row_by_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_list_change(TG_TABLE_NAME, NEW.tenant_id, NEW.id, NULL, NEW.status);
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM record_list_change(TG_TABLE_NAME, NEW.tenant_id, NEW.id, OLD.status, NEW.status);
  ELSE
    PERFORM record_list_change(TG_TABLE_NAME, OLD.tenant_id, OLD.id, OLD.status, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_unlisted AFTER DELETE ON anomalies
  FOR EACH ROW EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER claims_listed AFTER INSERT OR DELETE ON claims
  FOR EACH ROW EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER claims_moved AFTER UPDATE OF status ON claims
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER tickets_listed AFTER INSERT OR DELETE ON tickets
  FOR EACH ROW EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER tickets_moved AFTER UPDATE OF status ON tickets
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION list_row_by_status();

-- Once per statement, because one may open hundreds of anomalies.
CREATE FUNCTION list_anomalies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'rows of lists are written in READ COMMITTED transactions only';
  END IF;
  IF TG_OP = 'INSERT' THEN
    PERFORM record_list_change('anomalies', n.tenant_id, n.id, NULL, n.status) FROM entered n
      WHERE EXISTS (SELECT FROM list_blocks b WHERE b.tenant_id = n.tenant_id AND b.list = 'anomalies' AND b.upto >= n.id);
  ELSE
    PERFORM record_list_change('anomalies', n.tenant_id, n.id, o.status, n.status) FROM entered n JOIN former o ON o.id = n.id
      WHERE o.status <> n.status
        AND EXISTS (SELECT FROM list_blocks b WHERE b.tenant_id = n.tenant_id AND b.list = 'anomalies' AND b.upto >= n.id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_listed AFTER INSERT ON anomalies
  REFERENCING NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION list_anomalies();
CREATE TRIGGER anomalies_moved AFTER UPDATE ON anomalies
  REFERENCING OLD TABLE AS former NEW TABLE AS entered
  FOR EACH STATEMENT EXECUTE FUNCTION list_anomalies();

-- "active" is "not revoked" (spec 4.5).
CREATE FUNCTION list_certificate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_list_change('certificates', NEW.tenant_id, NEW.id, NULL,
      CASE WHEN NEW.revoked_at IS NULL THEN 'active' ELSE 'revoked' END);
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM record_list_change('certificates', NEW.tenant_id, NEW.id, 'active', 'revoked');
  ELSE
    PERFORM record_list_change('certificates', OLD.tenant_id, OLD.id,
      CASE WHEN OLD.revoked_at IS NULL THEN 'active' ELSE 'revoked' END, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_moved AFTER UPDATE OF revoked_at ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION list_certificate();
CREATE TRIGGER certificates_unlisted AFTER DELETE ON certificates
  FOR EACH ROW EXECUTE FUNCTION list_certificate();

-- Deleted devices are in no list.
CREATE FUNCTION list_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF current_setting('transaction_isolation') <> 'read committed' OR EXISTS (
      SELECT FROM list_blocks b WHERE b.tenant_id = NEW.tenant_id AND b.list = 'devices' AND b.upto >= NEW.uid) THEN
      PERFORM record_list_change('devices', NEW.tenant_id, NEW.uid, NULL, '');
    END IF;
  ELSIF TG_OP = 'UPDATE' AND NEW.deleted_at IS NULL THEN
    PERFORM record_list_change('devices', NEW.tenant_id, NEW.uid, NULL, '');
  ELSE
    PERFORM record_list_change('devices', OLD.tenant_id, OLD.uid, '', NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER devices_listed AFTER INSERT ON devices
  FOR EACH ROW WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION list_device();
CREATE TRIGGER devices_moved AFTER UPDATE OF deleted_at ON devices
  FOR EACH ROW WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION list_device();
CREATE TRIGGER devices_unlisted AFTER DELETE ON devices
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION list_device();
`;
