/** Functions that statements of the service call. */
export const statementsFunctions = `
-- Aborts the whole statement with an error code of Muster (db/refusal.ts).
CREATE FUNCTION muster_refuse(code text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', code USING ERRCODE = 'MU001';
END $$;

-- Returns true. A statement that calls it is planned without parallel workers, because starting them takes longer than
-- reading the tail of a list, whose length the planner cannot know.
CREATE FUNCTION in_one_process() RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL UNSAFE AS $$ SELECT true $$;

-- Lets the calling transaction commit without waiting for the disk: a crash of PostgreSQL, not of a process of the
-- service, may take back the last half second. The embedded database calls no fsync itself, so nothing changes there.
CREATE FUNCTION commit_later() RETURNS text LANGUAGE sql AS $$
  SELECT set_config('synchronous_commit', CASE current_setting('fsync') WHEN 'on' THEN 'off' ELSE 'on' END, true)
$$;
`;
