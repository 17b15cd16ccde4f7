import { convertLatest } from "./0056-device-latest.ts";

/**
 * While processes of an earlier version run, as during a rolling upgrade, they read and write the latest values of before, a row a metric: triggers
 * write what one form has got to the other, in the same transaction. The optimistic locks of both versions hold: a batch stored by one changes what the
 * other compares. When the last such process has ended, `forget_earlier_latest` drops the old form; what one stored after that would fail.
 */
const followEarlier = `
CREATE FUNCTION take_earlier_latest(devices uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Locks first: what follows is then computed from what any other transaction has committed.
  INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers)
  SELECT uid, '{}', '', 1, '-infinity', '-infinity', '-infinity', pg_current_xact_id(), '{}' FROM unnest(devices) AS d (uid) ORDER BY uid
  ON CONFLICT DO NOTHING;
  PERFORM FROM device_latest WHERE device_uid = ANY (devices) AND part = 0 ORDER BY device_uid FOR UPDATE;
  ${convertLatest("device_uid = ANY (devices)")}
  ON CONFLICT (device_uid, part) DO UPDATE
     SET metrics = excluded.metrics, kinds = excluded.kinds, version = device_latest.version + 1,
         seen_at = greatest(device_latest.seen_at, excluded.seen_at), ts = excluded.ts, received_at = excluded.received_at,
         written = excluded.written, numbers = excluded.numbers, times = excluded.times, received = excluded.received, writers = NULL,
         replaced = excluded.replaced, texts = excluded.texts;
END $$;

-- A change that the other trigger has made is not taken back.
CREATE FUNCTION follow_earlier_latest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() = 1 THEN
    IF TG_OP = 'DELETE' THEN
      DELETE FROM device_latest WHERE device_uid IN (SELECT device_uid FROM changed);
    ELSE
      PERFORM take_earlier_latest(ARRAY(SELECT DISTINCT device_uid FROM changed));
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow_inserts AFTER INSERT ON telemetry_latest REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION follow_earlier_latest();
CREATE TRIGGER follow_updates AFTER UPDATE ON telemetry_latest REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION follow_earlier_latest();
CREATE TRIGGER follow_deletes AFTER DELETE ON telemetry_latest REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION follow_earlier_latest();
`;

/** What an earlier version reads: the values, and once a second when the device was seen, from which it detects silence. */
const leadEarlier = `
CREATE FUNCTION lead_earlier_latest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' THEN
    DELETE FROM telemetry_latest WHERE device_uid IN (SELECT device_uid FROM changed);
    RETURN NULL;
  END IF;
  INSERT INTO telemetry_latest (device_uid, metric, ts, number, flag, text, received_at, time_replaced)
  SELECT device_uid, metric, ts, number, flag, text, received_at, time_replaced FROM shared_latest_values
   WHERE device_uid IN (SELECT device_uid FROM changed) AND written = pg_current_xact_id()
   ORDER BY device_uid, metric
  ON CONFLICT (device_uid, metric) DO UPDATE
     SET ts = excluded.ts, number = excluded.number, flag = excluded.flag, text = excluded.text,
         received_at = excluded.received_at, time_replaced = excluded.time_replaced;
  UPDATE devices d SET last_seen_at = c.seen_at FROM changed c
   WHERE d.uid = c.device_uid AND d.deleted_at IS NULL
     AND c.seen_at >= coalesce(d.last_seen_at, '-infinity') + interval '1 second';
  RETURN NULL;
END $$;
CREATE TRIGGER lead_inserts AFTER INSERT ON device_latest REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION lead_earlier_latest();
CREATE TRIGGER lead_updates AFTER UPDATE ON device_latest REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION lead_earlier_latest();
CREATE TRIGGER lead_deletes AFTER DELETE ON device_latest REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION lead_earlier_latest();
`;

/** A node says which schema it knows; a process of a version before this step does not, and has 0. */
export const earlierLatest = `
ALTER TABLE broker_nodes ADD COLUMN schema_number integer NOT NULL DEFAULT 0;
${followEarlier}
${leadEarlier}
-- Returns whether the old form is gone. Runs with the rights of its owner: the service may be a role that owns no table.
CREATE FUNCTION forget_earlier_latest() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF to_regclass('telemetry_latest') IS NULL THEN
    RETURN true;
  END IF;
  IF EXISTS (SELECT FROM broker_nodes WHERE schema_number < 57) THEN
    RETURN false;
  END IF;
  LOCK TABLE device_latest IN ACCESS EXCLUSIVE MODE;
  DROP TRIGGER IF EXISTS lead_inserts ON device_latest;
  DROP TRIGGER IF EXISTS lead_updates ON device_latest;
  DROP TRIGGER IF EXISTS lead_deletes ON device_latest;
  DROP VIEW IF EXISTS shared_telemetry_latest;
  DROP TABLE IF EXISTS telemetry_latest;
  DROP FUNCTION IF EXISTS lead_earlier_latest();
  DROP FUNCTION IF EXISTS follow_earlier_latest();
  DROP FUNCTION IF EXISTS take_earlier_latest(uuid[]);
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION forget_earlier_latest() FROM PUBLIC;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION forget_earlier_latest() SET search_path = %I, pg_temp', current_schema());
END $$;
-- Without such a process, which is the rule, the old form goes at once.
SELECT forget_earlier_latest();
`;
