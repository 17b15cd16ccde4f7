/**
 * A row a message in place of one a reading. What the messages of a device have in common, the names and types of their metrics, is stored once, as a
 * shape; a row has the shape's number and the values. The table of before stays readable, and processes of an earlier version store into it: its
 * partitions are dropped as they expire.
 */
const create = `
CREATE TABLE telemetry_shapes (
  shape_no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_uid uuid NOT NULL,
  -- SHA-256 of what follows: names may be longer than an index takes.
  digest bytea NOT NULL,
  -- Texts last, otherwise by name.
  metrics text[] NOT NULL,
  -- A letter each: n number, b boolean, t text.
  kinds text NOT NULL,
  -- The server's time stands in place of implausible ones of the device.
  time_replaced boolean NOT NULL,
  UNIQUE (device_uid, digest),
  CHECK (cardinality(metrics) = length(kinds) AND cardinality(metrics) > 0)
);

CREATE SEQUENCE telemetry_message_seq;
-- No more than eight columns: with a ninth, the NULL in nearly every row would cost eight bytes.
CREATE TABLE telemetry_messages (
  ts timestamptz NOT NULL,
  -- Of rows of one device and time the higher one's readings replace those of the other.
  seq bigint NOT NULL DEFAULT nextval('telemetry_message_seq'),
  -- NULL: at "ts".
  received_at timestamptz,
  shape_no integer NOT NULL,
  -- The class of the tenant when the row was stored.
  retention_days smallint NOT NULL,
  -- The numbers and booleans (1 and 0) of the shape, and its texts; NULL where it has none.
  numbers float8[],
  texts text[],
  PRIMARY KEY (shape_no, ts, retention_days)
) PARTITION BY LIST (retention_days);
DO $$
DECLARE
  class integer;
BEGIN
  FOREACH class IN ARRAY ARRAY[7, 30, 90, 180, 365, 730] LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF telemetry_messages FOR VALUES IN (%s) PARTITION BY RANGE (ts)',
      'telemetry_messages_' || class, class);
  END LOOP;
END $$;

-- A row a reading, of both forms, for a look by hand: what the service reads is in telemetry/messages/.
CREATE VIEW shared_readings AS
  SELECT DISTINCT ON (device_uid, metric, ts) device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days
    FROM (
      SELECT s.device_uid, n.metric, m.ts, m.seq, CASE WHEN n.kind = 'n' THEN m.numbers[n.place] END AS number,
             CASE WHEN n.kind = 'b' THEN m.numbers[n.place] = 1 END AS flag,
             CASE WHEN n.kind = 't' THEN m.texts[n.place - coalesce(cardinality(m.numbers), 0)] END AS text,
             coalesce(m.received_at, m.ts) AS received_at, s.time_replaced, m.retention_days
        FROM telemetry_shapes s
       CROSS JOIN LATERAL unnest(s.metrics, string_to_array(s.kinds, NULL)) WITH ORDINALITY AS n (metric, kind, place)
        JOIN telemetry_messages m ON m.shape_no = s.shape_no
      UNION ALL
      SELECT device_uid, metric, ts, 0, number, flag, text, received_at, time_replaced, retention_days FROM telemetry
    ) r
   ORDER BY device_uid, metric, ts, seq DESC;
`;

/** Partitions of messages, minutes and hours; those of readings only where a process of an earlier version stores. */
const partitions = `
CREATE FUNCTION make_message_day(class smallint, day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  month date := date_trunc('month', day::timestamp);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('telemetry days'));
  PERFORM make_telemetry_part('telemetry_messages_' || class, 'telemetry_messages_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_minute_' || class, 'telemetry_minute_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_hour_' || class, 'telemetry_hour_' || class || to_char(day, '_YYYYMM'),
    month, (month + interval '1 month')::date);
END $$;
REVOKE EXECUTE ON FUNCTION make_message_day(smallint, date) FROM PUBLIC;

CREATE OR REPLACE FUNCTION drop_telemetry_parts(parts text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY parts LOOP
    CONTINUE WHEN to_regclass(quote_ident(part)) IS NULL;
    IF NOT EXISTS (
      SELECT FROM pg_inherits i JOIN pg_inherits o ON o.inhrelid = i.inhparent
       WHERE i.inhrelid = to_regclass(quote_ident(part)) AND o.inhparent IN (
         'telemetry'::regclass, 'telemetry_messages'::regclass, 'telemetry_minute'::regclass, 'telemetry_hour'::regclass)
    ) AND to_regclass(quote_ident(part)) IS NOT NULL THEN
      RAISE EXCEPTION '% is no partition of telemetry', part USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Another process may have dropped it since.
    EXECUTE 'DROP TABLE IF EXISTS ' || quote_ident(part);
  END LOOP;
END $$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION make_message_day(smallint, date) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_telemetry_parts(text[]) SET search_path = %I, pg_temp', current_schema());
END $$;
`;

/**
 * A process of an earlier version would compute an hour from the readings of before alone, and remove the mark. So it is given no mark: those that are due
 * have their time in another column.
 */
const marks = `
ALTER TABLE roll_up_marks ADD COLUMN compute_at timestamptz;
CREATE INDEX roll_up_marks_compute ON roll_up_marks (compute_at);
CREATE FUNCTION withhold_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.compute_at := NEW.due_at;
  NEW.due_at := 'infinity';
  RETURN NEW;
END $$;
CREATE TRIGGER roll_up_marks_withheld BEFORE INSERT ON roll_up_marks
  FOR EACH ROW WHEN (NEW.compute_at IS NULL) EXECUTE FUNCTION withhold_mark();
-- What an earlier process has claimed is computed, and this waits for it.
LOCK TABLE roll_up_marks IN ACCESS EXCLUSIVE MODE;
UPDATE roll_up_marks SET compute_at = due_at, due_at = 'infinity';
`;

export const messageRows = `${create}${partitions}${marks}`;
