/**
 * The minutes of an hour, which charts read, stand with its chunk in place of a row each. Hours from before, those with readings in the form of before step 60,
 * and those that are computed while a node runs which reads the rows alone, have rows in telemetry_minute: then these count.
 */
export const minutesInChunks = `
-- Of each metric of the shape, one after the other (telemetry/roll-up/minutes-codec.ts), and where those of each end. Of a metric that several shapes have in
-- an hour, the minutes of all of them stand with one.
ALTER TABLE telemetry_chunks ADD COLUMN minutes bytea, ADD COLUMN minute_ends integer[];
-- A chart reads a part of it, which is found in a value that is not compressed.
ALTER TABLE telemetry_chunks ALTER COLUMN minutes SET STORAGE EXTERNAL;
CREATE FUNCTION all_nodes_read_minutes() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM broker_nodes WHERE schema_number < 72)
$$;
`;
