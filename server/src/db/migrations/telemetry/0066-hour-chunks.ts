/**
 * Messages of an hour, compressed (telemetry/chunks/): a row a shape, hour and retention, written when the hour is rolled up. A day of messages goes as a
 * whole when all of its hours are in chunks.
 */
const create = `
CREATE TABLE telemetry_chunks (
  -- The beginning of the hour.
  ts timestamptz NOT NULL,
  shape_no integer NOT NULL,
  retention_days smallint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (shape_no, ts, retention_days)
) PARTITION BY LIST (retention_days);
-- It is compressed already.
ALTER TABLE telemetry_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
DO $$
DECLARE
  class integer;
BEGIN
  FOREACH class IN ARRAY ARRAY[7, 30, 90, 180, 365, 730] LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF telemetry_chunks FOR VALUES IN (%s) PARTITION BY RANGE (ts)',
      'telemetry_chunks_' || class, class);
  END LOOP;
END $$;

-- Days of messages from before this step, of which not all hours are marked to be put into chunks yet.
CREATE TABLE chunk_backlog (
  retention_days smallint NOT NULL,
  day date NOT NULL,
  -- The hours of shapes up to this one are marked.
  marked_to integer NOT NULL DEFAULT 0,
  PRIMARY KEY (day, retention_days)
);
`;

const partitions = `
CREATE OR REPLACE FUNCTION make_message_day(class smallint, day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  month date := date_trunc('month', day::timestamp);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('telemetry days'));
  PERFORM make_telemetry_part('telemetry_messages_' || class, 'telemetry_messages_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_chunks_' || class, 'telemetry_chunks_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_minute_' || class, 'telemetry_minute_' || class || to_char(day, '_YYYYMMDD'),
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
         'telemetry'::regclass, 'telemetry_messages'::regclass, 'telemetry_chunks'::regclass, 'telemetry_minute'::regclass,
         'telemetry_hour'::regclass)
    ) AND to_regclass(quote_ident(part)) IS NOT NULL THEN
      RAISE EXCEPTION '% is no partition of telemetry', part USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Another process may have dropped it since.
    EXECUTE 'DROP TABLE IF EXISTS ' || quote_ident(part);
  END LOOP;
END $$;

-- Drops a day of messages that are in chunks. Those of hours that are marked may not be: they are stored again, unless they are more than "most". Returns
-- whether the day is dropped.
CREATE FUNCTION retire_message_day(class smallint, day date, most integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part text := 'telemetry_messages_' || class || to_char(day, '_YYYYMMDD');
  first timestamptz := day::timestamp AT TIME ZONE 'UTC';
  kept telemetry_messages[];
BEGIN
  -- Processes before this step read no chunks.
  IF EXISTS (SELECT FROM broker_nodes WHERE schema_number < 66) THEN
    RETURN false;
  END IF;
  -- In the order of a statement that stores. No other process stores into the day or computes an hour of it then.
  EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', 'telemetry_messages_' || class);
  IF to_regclass(part) IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part);
  IF EXISTS (SELECT FROM chunk_backlog b WHERE b.retention_days = class AND b.day = retire_message_day.day) THEN
    RETURN false;
  END IF;
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
REVOKE EXECUTE ON FUNCTION retire_message_day(smallint, date, integer) FROM PUBLIC;
DO $$
DECLARE
  days record;
BEGIN
  EXECUTE format('ALTER FUNCTION make_message_day(smallint, date) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_telemetry_parts(text[]) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION retire_message_day(smallint, date, integer) SET search_path = %I, pg_temp', current_schema());
  FOR days IN
    SELECT substring(c.relname FROM '[0-9]+$')::smallint AS class, to_date(right(d.relname, 8), 'YYYYMMDD') AS day
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_inherits j ON j.inhparent = c.oid JOIN pg_class d ON d.oid = j.inhrelid
     WHERE i.inhparent = 'telemetry_messages'::regclass
  LOOP
    PERFORM make_message_day(days.class, days.day);
    INSERT INTO chunk_backlog (retention_days, day) VALUES (days.class, days.day);
  END LOOP;
END $$;
`;

/**
 * A process of an earlier version would compute an hour, write no chunk and remove the mark. So it is given no mark, as in step 60: those that are due
 * have their time in another column again.
 */
const marks = `
ALTER TABLE roll_up_marks ADD COLUMN chunk_at timestamptz;
CREATE INDEX roll_up_marks_chunk ON roll_up_marks (chunk_at);
CREATE INDEX roll_up_marks_hour ON roll_up_marks (hour);
CREATE OR REPLACE FUNCTION withhold_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.chunk_at := coalesce(NEW.compute_at, NEW.due_at);
  NEW.compute_at := 'infinity';
  NEW.due_at := 'infinity';
  RETURN NEW;
END $$;
DROP TRIGGER roll_up_marks_withheld ON roll_up_marks;
CREATE TRIGGER roll_up_marks_withheld BEFORE INSERT ON roll_up_marks
  FOR EACH ROW WHEN (NEW.chunk_at IS NULL) EXECUTE FUNCTION withhold_mark();
-- What an earlier process has claimed is computed, and this waits for it.
LOCK TABLE roll_up_marks IN ACCESS EXCLUSIVE MODE;
UPDATE roll_up_marks SET chunk_at = coalesce(compute_at, due_at), compute_at = 'infinity';
`;

export const hourChunks = `${create}${partitions}${marks}`;
