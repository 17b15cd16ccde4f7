/**
 * Lists whose `total` and deep pages cost the same at a thousand rows and at ten million (docs/decisions/0008).
 *
 * Every list is ordered by its UUIDv7 key, newest first. A *block* is a range of keys whose rows were counted once; what
 * enters or leaves that range later (a late insert, a moved status, a deletion) is appended to `list_changes` by row
 * triggers, in the transaction that does it, so that no two writers ever meet in a counter. Rows newer than the newest
 * block are the *tail*, counted when asked for.
 *
 * What a list of a later migration needs is said in `db/lists.ts`. A list has the name of its table.
 */
export const countedLists = `
DROP INDEX claims_tenant;
DROP INDEX claims_tenant_status;
DROP INDEX devices_tenant;
DROP INDEX certificates_tenant;
DROP INDEX certificate_audit_tenant;

CREATE INDEX claims_listed ON claims (tenant_id, id);
CREATE INDEX claims_listed_by_status ON claims (tenant_id, status, id);
CREATE INDEX devices_listed ON devices (tenant_id, uid) WHERE deleted_at IS NULL;
CREATE INDEX certificates_listed ON certificates (tenant_id, id);
CREATE INDEX certificates_listed_active ON certificates (tenant_id, id) WHERE revoked_at IS NULL;
CREATE INDEX certificates_listed_revoked ON certificates (tenant_id, id) WHERE revoked_at IS NOT NULL;
CREATE INDEX certificates_listed_by_device ON certificates (tenant_id, device_id, id);
CREATE INDEX certificate_audit_listed ON certificate_audit (tenant_id, id);

-- Filters of the devices list that are no lists of their own.
CREATE INDEX devices_type ON devices (tenant_id, device_type_id, uid) WHERE deleted_at IS NULL;
CREATE INDEX devices_connectivity ON devices (tenant_id, connectivity, uid) WHERE deleted_at IS NULL;
DROP INDEX device_groups_group;
CREATE INDEX device_groups_group ON device_groups (group_id, device_uid);

-- The rows with a key in (upto of the block before, upto]. The variant is '' for the whole list, else one filter's value.
CREATE TABLE list_blocks (
  tenant_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  variant text COLLATE "C" NOT NULL,
  upto uuid NOT NULL,
  -- NULL until it has been counted: see counts_after.
  size integer,
  -- The block is marked first, so that writers see it, and counted once every transaction has ended that may not have
  -- seen the mark: the numbers of those are all below this one.
  counts_after xid8,
  PRIMARY KEY (tenant_id, list, variant, upto)
);
-- "Is there any block for this key": the only question of most writers.
CREATE INDEX list_blocks_upto ON list_blocks (tenant_id, list, upto);

-- Rows that entered (1) or left (-1) the range of a block since it was marked.
CREATE TABLE list_changes (
  tenant_id uuid NOT NULL,
  list text COLLATE "C" NOT NULL,
  variant text COLLATE "C" NOT NULL,
  at uuid NOT NULL,
  change smallint NOT NULL
);
CREATE INDEX list_changes_at ON list_changes (tenant_id, list, variant, at);

-- Called by row triggers, after the row was written. Nothing left: a new row. Nothing entered: a row gone. Both: a row
-- that moved between two variants, which the whole list does not notice. '' where the list has no variants.
-- A snapshot of its own, taken after the row has its transaction number, is what makes counts_after right.
CREATE FUNCTION note_listed(the_list text, tenant uuid, key uuid, left_variant text, entered_variant text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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

-- For a list without variants.
CREATE FUNCTION list_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM note_listed(TG_TABLE_NAME, NEW.tenant_id, NEW.id, NULL, '');
  ELSE
    PERFORM note_listed(TG_TABLE_NAME, OLD.tenant_id, OLD.id, '', NULL);
  END IF;
  RETURN NULL;
END $$;

-- For a list that can be narrowed by status.
CREATE FUNCTION list_row_by_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM note_listed(TG_TABLE_NAME, NEW.tenant_id, NEW.id, NULL, NEW.status);
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM note_listed(TG_TABLE_NAME, NEW.tenant_id, NEW.id, OLD.status, NEW.status);
  ELSE
    PERFORM note_listed(TG_TABLE_NAME, OLD.tenant_id, OLD.id, OLD.status, NULL);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER groups_listed AFTER INSERT OR DELETE ON groups FOR EACH ROW EXECUTE FUNCTION list_row();
CREATE TRIGGER certificate_audit_listed AFTER INSERT OR DELETE ON certificate_audit
  FOR EACH ROW EXECUTE FUNCTION list_row();

CREATE TRIGGER claims_listed AFTER INSERT OR DELETE ON claims FOR EACH ROW EXECUTE FUNCTION list_row_by_status();
CREATE TRIGGER claims_moved AFTER UPDATE OF status ON claims
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION list_row_by_status();

-- "active" is "not revoked" (spec 4.5).
CREATE FUNCTION list_certificate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM note_listed('certificates', NEW.tenant_id, NEW.id, NULL,
      CASE WHEN NEW.revoked_at IS NULL THEN 'active' ELSE 'revoked' END);
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM note_listed('certificates', NEW.tenant_id, NEW.id, 'active', 'revoked');
  ELSE
    PERFORM note_listed('certificates', OLD.tenant_id, OLD.id,
      CASE WHEN OLD.revoked_at IS NULL THEN 'active' ELSE 'revoked' END, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_listed AFTER INSERT OR DELETE ON certificates
  FOR EACH ROW EXECUTE FUNCTION list_certificate();
CREATE TRIGGER certificates_moved AFTER UPDATE OF revoked_at ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION list_certificate();

-- A deleted device is in no list.
CREATE FUNCTION list_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    PERFORM note_listed('devices', NEW.tenant_id, NEW.uid, NULL, '');
  ELSE
    PERFORM note_listed('devices', OLD.tenant_id, OLD.uid, '', NULL);
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
