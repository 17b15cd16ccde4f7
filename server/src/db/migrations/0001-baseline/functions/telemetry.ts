/**
 * Partitions of telemetry, and the marks of dirty hours. The functions that create and drop partitions run with the
 * rights of their owner (SECURITY DEFINER), because the service may be a role that owns no table
 * (docs/operations/database-roles.md).
 */
export const telemetryFunctions = `
-- Processes that ingest cache the retention classes of tenants until this notification.
CREATE FUNCTION notify_retention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_retention', '');
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_retention AFTER UPDATE OF telemetry_retention_days ON tenants
  FOR EACH ROW WHEN (OLD.telemetry_retention_days <> NEW.telemetry_retention_days) EXECUTE FUNCTION notify_retention();

-- Creates a partition by attaching a separate table, which does not block transactions that store into other
-- partitions.
CREATE FUNCTION make_telemetry_part(whole text, part text, first date, past date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, whole);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', whole, part,
    first::timestamp AT TIME ZONE 'UTC', past::timestamp AT TIME ZONE 'UTC');
END $$;

-- Creates the partitions of a retention class and a day, unless they exist. The lock makes a concurrent caller wait.
CREATE FUNCTION make_message_day(class smallint, day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  month date := date_trunc('month', day::timestamp);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('telemetry days'));
  PERFORM make_telemetry_part('telemetry_messages_' || class, 'telemetry_messages_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_chunks_' || class, 'telemetry_chunks_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_hour_' || class, 'telemetry_hour_' || class || to_char(day, '_YYYYMM'),
    month, (month + interval '1 month')::date);
END $$;

-- Drops partitions of telemetry, and refuses any other table.
CREATE FUNCTION drop_telemetry_parts(parts text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY parts LOOP
    CONTINUE WHEN to_regclass(quote_ident(part)) IS NULL;
    IF NOT EXISTS (
      SELECT FROM pg_inherits i JOIN pg_inherits o ON o.inhrelid = i.inhparent
       WHERE i.inhrelid = to_regclass(quote_ident(part)) AND o.inhparent IN (
         'telemetry_messages'::regclass, 'telemetry_chunks'::regclass, 'telemetry_hour'::regclass)
    ) AND to_regclass(quote_ident(part)) IS NOT NULL THEN
      RAISE EXCEPTION '% is no partition of telemetry', part USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Another process may have dropped it meanwhile.
    EXECUTE 'DROP TABLE IF EXISTS ' || quote_ident(part);
  END LOOP;
END $$;

-- Drops a day of messages. Messages of marked hours may not be in chunks: they are stored again, with all columns that
-- the table has by now, unless they are more than "most". Returns whether the day was dropped.
CREATE FUNCTION retire_message_day(class smallint, day date, most integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part text := 'telemetry_messages_' || class || to_char(day, '_YYYYMMDD');
  first timestamptz := day::timestamp AT TIME ZONE 'UTC';
  kept telemetry_messages[];
BEGIN
  -- Locked in the order of a statement that stores: no other process now stores into the day or computes an hour of it.
  EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', 'telemetry_messages_' || class);
  IF to_regclass(part) IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part);
  EXECUTE format(
    'SELECT array_agg(x.message) FROM (
       SELECT m::telemetry_messages AS message
         FROM roll_up_marks k JOIN telemetry_shapes s ON s.device_uid = k.device_uid
         JOIN %I m ON m.shape_no = s.shape_no AND m.ts >= k.hour AND m.ts < k.hour + interval ''1 hour''
        WHERE k.hour >= $1 AND k.hour < $1 + interval ''1 day'' LIMIT $2 + 1) x', part)
    INTO kept USING first, most;
  IF cardinality(kept) > most THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', part);
  IF kept IS NOT NULL THEN
    PERFORM make_message_day(class, day);
    INSERT INTO telemetry_messages SELECT k.* FROM unnest(kept) k;
  END IF;
  RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION make_telemetry_part(text, text, date, date), make_message_day(smallint, date),
  drop_telemetry_parts(text[]), retire_message_day(smallint, date, integer) FROM PUBLIC;
-- A function with the rights of its owner must not find tables of its caller.
DO $$
DECLARE
  definer text;
BEGIN
  FOREACH definer IN ARRAY ARRAY['make_message_day(smallint, date)', 'drop_telemetry_parts(text[])',
    'retire_message_day(smallint, date, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', definer, current_schema());
  END LOOP;
END $$;

-- Hours are computed in turns between tenants, so a mark needs the tenant of its device. Marks of deleted devices share
-- one turn.
CREATE FUNCTION set_tenant_of_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT d.tenant_id INTO NEW.tenant_id FROM devices d WHERE d.uid = NEW.device_uid;
  NEW.tenant_id := coalesce(NEW.tenant_id, '00000000-0000-0000-0000-000000000000');
  RETURN NEW;
END $$;
CREATE TRIGGER roll_up_marks_of_tenant BEFORE INSERT ON roll_up_marks
  FOR EACH ROW EXECUTE FUNCTION set_tenant_of_mark();
`;
