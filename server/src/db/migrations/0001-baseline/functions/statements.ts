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

-- The name of an enrolling device: the template of its claim with its number and its hardware fingerprint, which is cut
-- to keep the name within 120 characters.
CREATE FUNCTION name_of_device(template text, number bigint, fingerprint text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT replace(n.name, '{fingerprint}',
                 left(fingerprint, greatest(0, 120 - char_length(replace(n.name, '{fingerprint}', '')))))
    FROM (SELECT replace(template, '{n}', coalesce(number::text, '{n}')) AS name) n
$$;

-- Lets the calling transaction commit without waiting for the disk: a crash of PostgreSQL, not of a process of the
-- service, may take back the last half second. The embedded database calls no fsync itself, so nothing changes there.
CREATE FUNCTION commit_later() RETURNS text LANGUAGE sql AS $$
  SELECT set_config('synchronous_commit', CASE current_setting('fsync') WHEN 'on' THEN 'off' ELSE 'on' END, true)
$$;
`;
