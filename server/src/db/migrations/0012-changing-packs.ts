/**
 * Threshold packs change and go.
 *
 * Rules the database itself decides: what was judged by an older revision of a pack counts for the rules that are still in it, since
 * a rule's id always means the same rule, but not from before the pack was last enabled or disabled; what a deleted pack found ends in
 * the transaction that deletes it.
 */
export const changingPacks = `
-- The revision since which the pack is as enabled as it is now.
ALTER TABLE thresholds ADD COLUMN since_revision integer NOT NULL DEFAULT 1;
UPDATE thresholds SET since_revision = revision;

CREATE OR REPLACE FUNCTION pack_revised() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.enabled, OLD.rules::text) IS DISTINCT FROM (NEW.enabled, NEW.rules::text) THEN
    NEW.revision := OLD.revision + 1;
  END IF;
  IF OLD.enabled <> NEW.enabled THEN NEW.since_revision := NEW.revision; END IF;
  RETURN NEW;
END $$;

-- An anomaly says itself what was wrong and outlives its pack, whose id it keeps. So its pack is asked for when it opens, and held
-- until the commit, but not afterwards.
ALTER TABLE anomalies DROP CONSTRAINT anomalies_tenant_id_threshold_id_fkey;
CREATE FUNCTION anomaly_has_pack() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds t WHERE t.id = NEW.threshold_id AND t.tenant_id = NEW.tenant_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the tenant has no threshold pack %', NEW.threshold_id USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER anomalies_have_packs AFTER INSERT ON anomalies
  FOR EACH ROW WHEN (NEW.threshold_id IS NOT NULL) EXECUTE FUNCTION anomaly_has_pack();

CREATE FUNCTION pack_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_rules('');
  PERFORM end_unjudged(NULL, OLD.id, OLD.updated_at, 'its threshold pack was deleted');
  RETURN NULL;
END $$;
CREATE TRIGGER thresholds_deleted AFTER DELETE ON thresholds FOR EACH ROW EXECUTE FUNCTION pack_deleted();

-- As in 0009, but of a pack that is deleted everything has been said already.
CREATE OR REPLACE FUNCTION pack_taken_off_device() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner record;
BEGIN
  PERFORM FROM thresholds t WHERE t.id = OLD.threshold_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM device_thresholds w WHERE w.device_uid = OLD.device_uid AND w.threshold_id = OLD.threshold_id;
  IF FOUND THEN RETURN NULL; END IF;
  PERFORM tell_rules(OLD.device_uid::text);
  SELECT d.updated_at, d.deleted_at INTO owner FROM devices d WHERE d.uid = OLD.device_uid;
  IF owner.deleted_at IS NULL THEN
    PERFORM end_unjudged(OLD.device_uid, OLD.threshold_id, owner.updated_at, 'its threshold pack was taken off the device');
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION pack_taken_off_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM thresholds t WHERE t.id = OLD.threshold_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM device_type_thresholds w WHERE w.device_type_id = OLD.device_type_id AND w.threshold_id = OLD.threshold_id;
  IF FOUND THEN RETURN NULL; END IF;
  PERFORM tell_rules('');
  PERFORM end_unjudged(NULL, OLD.threshold_id, y.updated_at, 'its threshold pack was taken off the device type')
     FROM device_types y WHERE y.id = OLD.device_type_id;
  RETURN NULL;
END $$;
`;
