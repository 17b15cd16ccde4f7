/** Functions of generated columns and views, created before them. */
export const computedFunctions = `
-- The place of a device in its name line: the first of these fields of its metadata that is text or a number.
CREATE FUNCTION device_place(metadata jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(metadata ->> f.name, 120) FROM unnest(ARRAY['place', 'location', 'site']) WITH ORDINALITY AS f (name, n)
   WHERE jsonb_typeof(metadata -> f.name) IN ('string', 'number') AND metadata ->> f.name <> '' ORDER BY f.n LIMIT 1
$$;

-- The ids of a pack's rules, so that a statement that looks for one need not parse the JSON.
CREATE FUNCTION rule_ids(rules json) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((r ->> 'id')::uuid) FROM json_array_elements(rules) r
$$;

-- The metrics that the conditions of the rules name.
CREATE FUNCTION rule_metrics(rules json) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(DISTINCT m #>> '{}') FROM jsonb_path_query(rules::jsonb, '$.**.metric') m
$$;

-- The case of an e-mail address does not matter. A hash, because the address of a webhook may be long.
CREATE FUNCTION channel_address_key(type text, target text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(CASE type WHEN 'email' THEN lower(target) ELSE target END, 'UTF8'))
$$;
`;
