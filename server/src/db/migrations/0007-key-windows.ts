/**
 * The request windows of API keys, on one clock of all processes and made for being rewritten with every request: half of each
 * page is left free, so that a row's new version stays on its page and no index is touched.
 */
export const keyWindows = `
DROP TABLE api_key_windows;

-- When a key was admitted in its last minute, in order, on the clock of request_clock; and how many requests the last
-- statement that counted here let pass. Made by a key's first request, gone once nothing was admitted for a while.
CREATE TABLE api_key_windows (
  key_id text PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  passed integer NOT NULL,
  times double precision[] NOT NULL
) WITH (fillfactor = 50);

-- One row: milliseconds that every process counts on its own steady clock, and where the wall clock stood meanwhile. Only a
-- process that starts goes by the wall, for the seconds since it was last written.
CREATE TABLE request_clock (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  ms double precision NOT NULL,
  wall_ms double precision NOT NULL
);

-- The commit of the transaction that calls this does not wait for the disk, so that a crash of PostgreSQL (never of a process
-- of ours) may take back what it wrote in the last half second. The embedded database calls no fsync: there, as ever.
CREATE FUNCTION commit_later() RETURNS text LANGUAGE sql AS $$
  SELECT set_config('synchronous_commit', CASE current_setting('fsync') WHEN 'on' THEN 'off' ELSE 'on' END, true)
$$;

-- Judges the keys of several requests and counts the requests against their limits (access/rate-limit-store.ts). A function with
-- one plan for all: left to itself PostgreSQL plans anew for every number of keys, which takes longer than the rest.
--
-- Each window is read and written under its row's lock, taken in the order of the ids, so that all processes share it and none
-- waits in a circle. width_bucket finds by halving how many of a window's times are over: they are in order.
CREATE FUNCTION judge_keys(ids text[], secret_hashes text[], requests integer[], wall timestamptz, at_ms double precision)
RETURNS TABLE (nth integer, tenant_id uuid, slug text, scopes text, last_used_at timestamptz, passed integer, used integer,
               oldest_ms double precision, newest_ms double precision)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  PERFORM commit_later();
  RETURN QUERY
  WITH live AS (
    SELECT asked.nth::int AS nth, asked.requests, key.*
      FROM unnest(ids, secret_hashes, requests) WITH ORDINALITY AS asked (id, secret_hash, requests, nth)
     CROSS JOIN LATERAL (
       SELECT k.id, k.tenant_id, t.slug, array_to_string(k.scopes, ' ') AS scopes, k.last_used_at
         FROM api_keys k JOIN tenants t ON t.id = k.tenant_id JOIN users u ON u.id = k.user_id
        WHERE k.id = asked.id AND k.secret_hash = decode(asked.secret_hash, 'hex') AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > wall) AND u.status = 'active' AND u.deleted_at IS NULL
        LIMIT 1) AS key),
  counted AS (
    INSERT INTO api_key_windows AS w (key_id, passed, times)
    SELECT id, requests, array_fill(at_ms, ARRAY[requests]) FROM live ORDER BY id
    ON CONFLICT (key_id) DO UPDATE SET
      passed = least(excluded.passed, 120 - cardinality(w.times) + width_bucket(at_ms - 60000, w.times)),
      times = w.times[width_bucket(at_ms - 60000, w.times) + 1:] || array_fill(
        greatest(at_ms, w.times[cardinality(w.times)]),
        ARRAY[least(excluded.passed, 120 - cardinality(w.times) + width_bucket(at_ms - 60000, w.times))])
    RETURNING w.key_id, w.passed, w.times)
  SELECT live.nth, live.tenant_id, live.slug, live.scopes, live.last_used_at, counted.passed, cardinality(counted.times),
         counted.times[1], counted.times[cardinality(counted.times)]
    FROM live JOIN counted ON counted.key_id = live.id;
END $$;
`;
