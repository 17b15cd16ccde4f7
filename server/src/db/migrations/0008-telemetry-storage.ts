/**
 * Telemetry by retention class and by day: what a tenant keeps for n days lies in partitions of its own, one a day (UTC), and
 * leaves by dropping them.
 *
 * Beside the readings lie their minutes and hours, kept up by whoever finds a mark (monitoring/roll-up.ts).
 *
 * A day's partition is made by whoever first stores a row of that day; nothing here depends on the clock.
 */
export const telemetryStorage = `
ALTER TABLE tenants ADD COLUMN telemetry_retention_days smallint NOT NULL DEFAULT 90
  CHECK (telemetry_retention_days IN (7, 30, 90, 180, 365, 730));

ALTER TABLE telemetry RENAME TO telemetry_in_one;
ALTER TABLE telemetry_in_one RENAME CONSTRAINT telemetry_pkey TO telemetry_in_one_pkey;

CREATE TABLE telemetry (
  device_uid uuid NOT NULL,
  metric text NOT NULL,
  ts timestamptz NOT NULL,
  number double precision,
  flag boolean,
  text text,
  received_at timestamptz NOT NULL,
  time_replaced boolean NOT NULL DEFAULT false,
  -- The class of the tenant when the row was stored.
  retention_days smallint NOT NULL,
  PRIMARY KEY (device_uid, metric, ts, retention_days),
  CHECK (num_nonnulls(number, flag, text) = 1)
) PARTITION BY LIST (retention_days);
CREATE TABLE telemetry_7 PARTITION OF telemetry FOR VALUES IN (7) PARTITION BY RANGE (ts);
CREATE TABLE telemetry_30 PARTITION OF telemetry FOR VALUES IN (30) PARTITION BY RANGE (ts);
CREATE TABLE telemetry_90 PARTITION OF telemetry FOR VALUES IN (90) PARTITION BY RANGE (ts);
CREATE TABLE telemetry_180 PARTITION OF telemetry FOR VALUES IN (180) PARTITION BY RANGE (ts);
CREATE TABLE telemetry_365 PARTITION OF telemetry FOR VALUES IN (365) PARTITION BY RANGE (ts);
CREATE TABLE telemetry_730 PARTITION OF telemetry FOR VALUES IN (730) PARTITION BY RANGE (ts);

-- What charts read over months: the numbers of a minute and of an hour, in the same classes. Minutes leave with the readings;
-- hours, by the month, when they are ten times as old.
CREATE TABLE telemetry_minute (
  device_uid uuid NOT NULL,
  metric text NOT NULL,
  bucket timestamptz NOT NULL,
  lowest double precision NOT NULL,
  highest double precision NOT NULL,
  total double precision NOT NULL,
  readings integer NOT NULL,
  retention_days smallint NOT NULL,
  PRIMARY KEY (device_uid, metric, bucket, retention_days)
) PARTITION BY LIST (retention_days);
CREATE TABLE telemetry_hour (LIKE telemetry_minute INCLUDING ALL) PARTITION BY LIST (retention_days);
DO $$
DECLARE
  whole text;
  class integer;
BEGIN
  FOREACH whole IN ARRAY ARRAY['telemetry_minute', 'telemetry_hour'] LOOP
    FOREACH class IN ARRAY ARRAY[7, 30, 90, 180, 365, 730] LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%s) PARTITION BY RANGE (bucket)',
        whole || '_' || class, whole, class);
    END LOOP;
  END LOOP;
END $$;

-- The hours (UTC) of devices whose minutes and hours are not what their readings say. Written with the readings, taken away
-- with the computation: whoever stores into an hour holds its mark, so that nobody is computing it meanwhile.
CREATE TABLE roll_up_marks (
  device_uid uuid NOT NULL,
  hour timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  PRIMARY KEY (device_uid, hour)
);
CREATE INDEX roll_up_marks_due ON roll_up_marks (due_at);

-- Attaching a table that was made apart does not stop whoever is storing into the other partitions, as making a partition
-- at once would; of two that make the same one the second waits.
CREATE FUNCTION make_telemetry_part(whole text, part text, first date, past date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, whole);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', whole, part,
    first::timestamp AT TIME ZONE 'UTC', past::timestamp AT TIME ZONE 'UTC');
END $$;

-- Makes the partitions of a class and a day unless they are there.
CREATE FUNCTION make_telemetry_day(class smallint, day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month date := date_trunc('month', day::timestamp);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('telemetry days'));
  PERFORM make_telemetry_part('telemetry_' || class, 'telemetry_' || class || to_char(day, '_YYYYMMDD'), day, day + 1);
  PERFORM make_telemetry_part('telemetry_minute_' || class, 'telemetry_minute_' || class || to_char(day, '_YYYYMMDD'),
    day, day + 1);
  PERFORM make_telemetry_part('telemetry_hour_' || class, 'telemetry_hour_' || class || to_char(day, '_YYYYMM'),
    month, (month + interval '1 month')::date);
END $$;

DO $$
DECLARE
  stored date;
BEGIN
  FOR stored IN SELECT DISTINCT (ts AT TIME ZONE 'UTC')::date FROM telemetry_in_one LOOP
    PERFORM make_telemetry_day(90::smallint, stored);
  END LOOP;
END $$;
INSERT INTO telemetry (device_uid, metric, ts, number, flag, text, received_at, time_replaced, retention_days)
  SELECT device_uid, metric, ts, number, flag, text, received_at, time_replaced, 90 FROM telemetry_in_one;
DROP TABLE telemetry_in_one;
INSERT INTO roll_up_marks
  SELECT DISTINCT device_uid, date_bin('1 hour', ts, 'epoch'), '-infinity'::timestamptz FROM telemetry;

-- Processes that ingest remember the classes of tenants until they are told.
CREATE FUNCTION tell_retention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_retention', '');
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_retention AFTER UPDATE OF telemetry_retention_days ON tenants
  FOR EACH ROW WHEN (OLD.telemetry_retention_days <> NEW.telemetry_retention_days) EXECUTE FUNCTION tell_retention();
`;
