/**
 * Telemetry by retention class and by day: what a tenant keeps for n days lies in partitions of its own, one a day (UTC), and
 * leaves by dropping them.
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

-- Makes the partition of a class and a day unless it is there. Attaching a table that was made apart does not stop whoever
-- is storing into the other days, as making a partition at once would; of two that make the same one the second waits.
CREATE FUNCTION make_telemetry_day(class smallint, day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  whole text := 'telemetry_' || class;
  part text := whole || '_' || to_char(day, 'YYYYMMDD');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('telemetry days'));
  IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, whole);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', whole, part,
    day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
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

-- Processes that ingest remember the classes of tenants until they are told.
CREATE FUNCTION tell_retention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_retention', '');
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_retention AFTER UPDATE OF telemetry_retention_days ON tenants
  FOR EACH ROW WHEN (OLD.telemetry_retention_days <> NEW.telemetry_retention_days) EXECUTE FUNCTION tell_retention();
`;
