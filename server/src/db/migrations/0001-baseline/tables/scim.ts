/** Provisioning by SCIM: the token of a tenant, and what the identity provider says about users and groups. */
export const scimTables = `
CREATE TABLE scim_tokens (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  id uuid NOT NULL UNIQUE,
  token_sha256 bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  last_used_at timestamptz,
  last_used_address text
);

-- A user without a row was never written by the provider: the userName is the address. "role_mapped": the role comes
-- from a group of the provider.
CREATE TABLE scim_users (
  user_id uuid PRIMARY KEY REFERENCES users,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_name text NOT NULL,
  external_id text,
  attributes jsonb NOT NULL,
  modified_at timestamptz NOT NULL,
  role_mapped boolean NOT NULL DEFAULT false
);
CREATE INDEX scim_users_external_id ON scim_users (tenant_id, external_id);
CREATE UNIQUE INDEX scim_users_name ON scim_users (tenant_id, lower(user_name));

-- A group of the provider. Its members get "role", and join the groups of Muster in "group_ids".
CREATE TABLE scim_groups (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  display_name text NOT NULL,
  external_id text,
  created_at timestamptz NOT NULL,
  modified_at timestamptz NOT NULL,
  role text CHECK (role IN ('admin', 'operator', 'viewer')),
  group_ids uuid[] NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX scim_groups_name ON scim_groups (tenant_id, lower(display_name));

CREATE TABLE scim_members (
  group_id uuid NOT NULL REFERENCES scim_groups ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX scim_members_user ON scim_members (user_id);
`;
