/** API keys: authorization and request windows in one statement, and the ends of their event streams. */
export const accessFunctions = `
-- Authorizes the keys of several requests, with the current roles of their owners, and counts the requests against the
-- keys' limits (access/rate-limit/). "addresses" has, for each key, the addresses of its requests with spaces between
-- them, and "-" for none; those outside the ranges of a service account are false in "allowed" and not counted. One
-- generic plan serves any number of keys: planning takes longer than the rest.
--
-- A window is read and written under its row's lock. The locks are taken in the order of the ids, so that processes
-- never deadlock. Times of a window are in order, so width_bucket finds by binary search how many of them are over.
--
-- A window holds the times of the requests admitted in the last window_ms milliseconds, at most "most" of them. Times
-- that are past make room for as many new ones; OFFSET 0 has them counted once.
CREATE FUNCTION authorize_keys
  (ids text[], secret_hashes text[], addresses text[], requests integer[], wall timestamptz, at_ms double precision,
   most integer, window_ms double precision)
RETURNS TABLE (nth integer, tenant_id uuid, slug text, scopes text, owner_id uuid, owner_role text,
  last_used_at timestamptz, allowed boolean[], passed integer, used integer, oldest_ms double precision, newest_ms double precision)
LANGUAGE plpgsql SET plan_cache_mode TO 'force_generic_plan' AS $$
#variable_conflict use_column
BEGIN
  PERFORM commit_later();
  RETURN QUERY
  WITH live AS (
    SELECT asked.nth::int AS nth, key.*, CASE WHEN key.allowed IS NULL THEN asked.requests
             ELSE least(asked.requests, cardinality(array_positions(key.allowed, true))) END AS requests
      FROM unnest(ids, secret_hashes, addresses, requests) WITH ORDINALITY AS asked (id, secret_hash, addresses, requests, nth)
     CROSS JOIN LATERAL (
       SELECT k.id, k.tenant_id, t.slug, array_to_string(k.scopes, ' ') AS scopes, u.id AS owner_id, u.role AS owner_role, k.last_used_at,
              CASE WHEN u.address_ranges <> '{}' THEN ARRAY(
                SELECT coalesce(a.address <<= ANY (u.address_ranges::inet[]), false)
                  FROM unnest(string_to_array(asked.addresses, ' ', '-')::inet[]) WITH ORDINALITY AS a (address, nth)
                 ORDER BY a.nth) END AS allowed
         FROM api_keys k JOIN tenants t ON t.id = k.tenant_id JOIN users u ON u.id = k.user_id
        WHERE k.id = asked.id AND k.secret_hash = decode(asked.secret_hash, 'hex') AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > wall) AND u.status = 'active' AND u.deleted_at IS NULL
          AND (u.ends_at IS NULL OR u.ends_at > wall)
        LIMIT 1) AS key),
  counted AS (
    INSERT INTO api_key_windows AS w (key_id, passed, times)
    SELECT id, requests, array_fill(at_ms, ARRAY[requests]) FROM live WHERE requests > 0 ORDER BY id
    ON CONFLICT (key_id) DO UPDATE SET (passed, times) = (
      SELECT room.passed,
             w.times[past.count + 1:] || array_fill(greatest(at_ms, w.times[cardinality(w.times)]), ARRAY[room.passed])
        FROM (SELECT width_bucket(at_ms - window_ms, w.times) AS count OFFSET 0) AS past
       CROSS JOIN LATERAL (SELECT least(excluded.passed, most - cardinality(w.times) + past.count) AS passed) AS room)
    RETURNING w.key_id, w.passed, w.times)
  SELECT live.nth, live.tenant_id, live.slug, live.scopes, live.owner_id, live.owner_role, live.last_used_at, live.allowed,
         coalesce(counted.passed, 0), coalesce(cardinality(counted.times), 0), coalesce(counted.times[1], at_ms),
         coalesce(counted.times[cardinality(counted.times)], at_ms)
    FROM live LEFT JOIN counted ON counted.key_id = live.id;
END $$;

CREATE FUNCTION notify_key_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_keys', NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_ended AFTER UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION notify_key_ended();

-- Event streams were opened with the former rights of the owner, from an address that may no longer be allowed:
-- processes close them, and clients open them again.
CREATE FUNCTION notify_keys_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('muster_keys', k.id) FROM api_keys k WHERE k.user_id = NEW.id AND k.revoked_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER users_keys_owner AFTER UPDATE OF role, address_ranges ON users
  FOR EACH ROW WHEN ((OLD.role, OLD.address_ranges) IS DISTINCT FROM (NEW.role, NEW.address_ranges)) EXECUTE FUNCTION notify_keys_of_owner();
`;
