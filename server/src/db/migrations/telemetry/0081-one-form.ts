/**
 * Telemetry has one form: messages are rows of `telemetry_messages` and then chunks, minutes are with the chunks, latest values are rows of `device_latest`.
 * The tables, columns and functions of the earlier forms are dropped.
 */
const dayFunctions = `
CREATE OR REPLACE FUNCTION make_message_day(class smallint, day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
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

CREATE OR REPLACE FUNCTION drop_telemetry_parts(parts text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
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
    -- Another process may have dropped it since.
    EXECUTE 'DROP TABLE IF EXISTS ' || quote_ident(part);
  END LOOP;
END $$;

-- Drops a day of messages that are in chunks. Those of hours that are marked may not be: they are stored again, unless they are more than "most". Returns
-- whether the day is dropped.
CREATE OR REPLACE FUNCTION retire_message_day(class smallint, day date, most integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part text := 'telemetry_messages_' || class || to_char(day, '_YYYYMMDD');
  first timestamptz := day::timestamp AT TIME ZONE 'UTC';
  kept telemetry_messages[];
BEGIN
  -- In the order of a statement that stores. No other process stores into the day or computes an hour of it then.
  EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', 'telemetry_messages_' || class);
  IF to_regclass(part) IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part);
  EXECUTE format(
    'SELECT array_agg(ROW(x.*)::telemetry_messages) FROM (
       SELECT m.ts, m.seq, m.received_at, m.shape_no, m.retention_days, m.numbers, m.texts
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
    INSERT INTO telemetry_messages (ts, seq, received_at, shape_no, retention_days, numbers, texts)
    SELECT k.ts, k.seq, k.received_at, k.shape_no, k.retention_days, k.numbers, k.texts FROM unnest(kept) k;
  END IF;
  RETURN true;
END $$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION make_message_day(smallint, date) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_telemetry_parts(text[]) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION retire_message_day(smallint, date, integer) SET search_path = %I, pg_temp', current_schema());
END $$;
`;

const readings = `
-- A row a reading of messages that are not in chunks alone, for a look by hand: what the service reads is in telemetry/messages/.
CREATE OR REPLACE VIEW shared_readings AS
  SELECT DISTINCT ON (device_uid, metric, ts) device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days
    FROM (
      SELECT s.device_uid, n.metric, m.ts, m.seq, CASE WHEN n.kind = 'n' THEN m.numbers[n.place] END AS number,
             CASE WHEN n.kind = 'b' THEN m.numbers[n.place] = 1 END AS flag,
             CASE WHEN n.kind = 't' THEN m.texts[n.place - coalesce(cardinality(m.numbers), 0)] END AS text,
             coalesce(m.received_at, m.ts) AS received_at, s.time_replaced, m.retention_days
        FROM telemetry_shapes s
       CROSS JOIN LATERAL unnest(s.metrics, string_to_array(s.kinds, NULL)) WITH ORDINALITY AS n (metric, kind, place)
        JOIN telemetry_messages m ON m.shape_no = s.shape_no
    ) r
   ORDER BY device_uid, metric, ts, seq DESC;
`;

const earlierForms = `
DROP TABLE telemetry;
DROP TABLE telemetry_minute;
DROP TABLE chunk_backlog;
DROP FUNCTION make_telemetry_day(smallint, date);
DROP FUNCTION all_nodes_read_chunks();
DROP FUNCTION all_nodes_read_minutes();
DROP FUNCTION all_nodes_mark_late();

-- Latest values, a row a metric. Where no earlier node was listed, they have gone before.
DROP TRIGGER IF EXISTS lead_inserts ON device_latest;
DROP TRIGGER IF EXISTS lead_updates ON device_latest;
DROP TRIGGER IF EXISTS lead_deletes ON device_latest;
DROP VIEW IF EXISTS shared_telemetry_latest;
DROP TABLE IF EXISTS telemetry_latest;
DROP FUNCTION IF EXISTS lead_earlier_latest();
DROP FUNCTION IF EXISTS follow_earlier_latest();
DROP FUNCTION IF EXISTS take_earlier_latest(uuid[]);
DROP FUNCTION forget_earlier_latest();

-- Marks have one time at which they are due.
DROP TRIGGER roll_up_marks_withheld ON roll_up_marks;
DROP FUNCTION withhold_mark();
ALTER TABLE roll_up_marks DROP COLUMN due_at, DROP COLUMN compute_at, ALTER COLUMN chunk_at SET NOT NULL;
`;

export const oneForm = `${dayFunctions}${readings}${earlierForms}`;
