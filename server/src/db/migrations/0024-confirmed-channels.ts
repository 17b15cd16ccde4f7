/**
 * Addresses that groups name as channels are confirmed by their receiver before messages are sent there. Addresses that stand in
 * groups when this is applied count as confirmed: they have been in use.
 */
export const confirmedChannels = `
-- An address of a tenant, however many of its groups name it. "request_at": when a link is to be sent. Of a link, only the hash is stored.
CREATE TABLE channel_addresses (
  tenant_id uuid NOT NULL REFERENCES tenants,
  type text NOT NULL CHECK (type IN ('email', 'webhook')),
  key bytea NOT NULL,
  address text NOT NULL,
  group_id uuid NOT NULL,
  named_at timestamptz NOT NULL,
  request_at timestamptz,
  token_sha256 bytea UNIQUE,
  token_expires_at timestamptz,
  requested_at timestamptz,
  requests integer NOT NULL DEFAULT 0,
  requests_since timestamptz,
  confirmed_at timestamptz,
  confirmed_by text CHECK (confirmed_by IN ('link', 'answer', 'user', 'earlier version')),
  PRIMARY KEY (tenant_id, type, key),
  CHECK ((confirmed_at IS NULL) = (confirmed_by IS NULL)),
  CHECK (confirmed_at IS NULL OR request_at IS NULL)
);
CREATE INDEX channel_addresses_due ON channel_addresses (request_at) WHERE request_at IS NOT NULL;
CREATE INDEX channel_addresses_requested ON channel_addresses (tenant_id, requested_at);

-- E-mail addresses are the same in any case of letters. By hash: the address of a webhook is long.
CREATE FUNCTION channel_address_key(type text, target text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(CASE type WHEN 'email' THEN lower(target) ELSE target END, 'UTF8'))
$$;

INSERT INTO channel_addresses (tenant_id, type, key, address, group_id, named_at, confirmed_at, confirmed_by)
SELECT DISTINCT ON (1, 2, 3) g.tenant_id, c.type, channel_address_key(c.type, c.target), c.target, g.id, g.updated_at, now(),
       'earlier version'
  FROM groups g CROSS JOIN LATERAL jsonb_to_recordset(g.channels) AS c (type text, target text)
 ORDER BY 1, 2, 3, g.id;

-- The address of an active user of the tenant needs no link: administrators gave it to the user. A link that can still be opened is not
-- sent again because another group names the address.
CREATE FUNCTION record_channel_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO channel_addresses AS a (tenant_id, type, key, address, group_id, named_at, request_at, confirmed_at, confirmed_by)
  SELECT DISTINCT ON (c.type, k.key) NEW.tenant_id, c.type, k.key, c.target, NEW.id, NEW.updated_at,
         CASE WHEN NOT u.known THEN NEW.updated_at END, CASE WHEN u.known THEN NEW.updated_at END, CASE WHEN u.known THEN 'user' END
    FROM jsonb_to_recordset(NEW.channels) AS c (type text, target text)
   CROSS JOIN LATERAL (SELECT channel_address_key(c.type, c.target) AS key) k
   CROSS JOIN LATERAL (SELECT c.type = 'email' AND EXISTS (
     SELECT FROM users u WHERE lower(u.email) = lower(c.target) AND u.deleted_at IS NULL AND u.status = 'active'
       AND u.tenant_id = NEW.tenant_id) AS known) u
   ORDER BY c.type, k.key
  ON CONFLICT (tenant_id, type, key) DO UPDATE SET
    address = excluded.address, group_id = excluded.group_id, named_at = excluded.named_at,
    confirmed_at = coalesce(a.confirmed_at, excluded.confirmed_at), confirmed_by = coalesce(a.confirmed_by, excluded.confirmed_by),
    request_at = CASE WHEN a.confirmed_at IS NULL AND excluded.confirmed_at IS NULL AND NOT coalesce(a.token_expires_at > NEW.updated_at, false)
      THEN coalesce(a.request_at, NEW.updated_at) END;
  RETURN NULL;
END $$;
CREATE TRIGGER groups_channels_named AFTER INSERT OR UPDATE OF channels ON groups
  FOR EACH ROW WHEN (NEW.channels <> '[]') EXECUTE FUNCTION record_channel_addresses();

CREATE VIEW shared_group_channels AS
  SELECT g.tenant_id, g.id AS group_id, c.position, c.value->>'type' AS type, c.value->>'target' AS target,
         a.confirmed_at IS NOT NULL AS confirmed
    FROM groups g CROSS JOIN LATERAL jsonb_array_elements(g.channels) WITH ORDINALITY AS c (value, position)
    LEFT JOIN channel_addresses a ON a.tenant_id = g.tenant_id AND a.type = c.value->>'type'
         AND a.key = channel_address_key(c.value->>'type', c.value->>'target');
`;
