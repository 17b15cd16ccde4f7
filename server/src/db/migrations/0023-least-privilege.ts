/**
 * The service may run as a role that owns no table (docs/operations.md): it cannot drop the triggers that keep the audits append-only.
 * What it does to tables at run time, making and dropping partitions of telemetry, it does through two functions that run with the
 * rights of their owner and do nothing else.
 */
export const leastPrivilege = `
-- Beside the partitions of telemetry, no table can be dropped through this.
CREATE FUNCTION drop_telemetry_parts(parts text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY parts LOOP
    CONTINUE WHEN to_regclass(quote_ident(part)) IS NULL;
    IF NOT EXISTS (
      SELECT FROM pg_inherits i JOIN pg_inherits o ON o.inhrelid = i.inhparent
       WHERE i.inhrelid = to_regclass(quote_ident(part))
         AND o.inhparent IN ('telemetry'::regclass, 'telemetry_minute'::regclass, 'telemetry_hour'::regclass)
    ) AND to_regclass(quote_ident(part)) IS NOT NULL THEN
      RAISE EXCEPTION '% is no partition of telemetry', part USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Another process may have dropped it since.
    EXECUTE 'DROP TABLE IF EXISTS ' || quote_ident(part);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION drop_telemetry_parts(text[]) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION make_telemetry_day(smallint, date) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION make_telemetry_part(text, text, date, date) FROM PUBLIC;
ALTER FUNCTION make_telemetry_day(smallint, date) SECURITY DEFINER;

-- A function that runs with the rights of its owner must not find a table of its caller's.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION make_telemetry_day(smallint, date) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_telemetry_parts(text[]) SET search_path = %I, pg_temp', current_schema());
END $$;
`;
