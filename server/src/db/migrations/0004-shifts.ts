/**
 * Shifts: who looks after things when, in wall time of a zone; and what a group does with them: the channels it is told
 * through, and the steps by which more people are told.
 *
 * Rules the database itself decides: a group's shifts and a shift's users are of its own tenant, each there once; a shift
 * recurs on at least one day of the week and names none twice; its validity does not end before it begins.
 */
export const shifts = `
ALTER TABLE groups
  ADD channels jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(channels) = 'array'),
  ADD escalation jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(escalation) = 'array');

ALTER TABLE users ADD CONSTRAINT users_tenant_id UNIQUE (tenant_id, id);

-- Lists are newest first by id, which the unique key of tenant and id serves backwards.
CREATE TABLE shifts (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  time_zone text NOT NULL,
  start_time text NOT NULL CHECK (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  end_time text NOT NULL CHECK (end_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  days_of_week text[] NOT NULL CHECK (cardinality(days_of_week) > 0 AND cardinality(days_of_week) =
    ('mon' = ANY (days_of_week))::int + ('tue' = ANY (days_of_week))::int + ('wed' = ANY (days_of_week))::int +
    ('thu' = ANY (days_of_week))::int + ('fri' = ANY (days_of_week))::int + ('sat' = ANY (days_of_week))::int +
    ('sun' = ANY (days_of_week))::int),
  valid_from date,
  valid_until date,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (tenant_id, id),
  CHECK (valid_from <= valid_until)
);

CREATE TABLE shift_users (
  tenant_id uuid NOT NULL,
  shift_id uuid NOT NULL,
  user_id uuid NOT NULL,
  PRIMARY KEY (shift_id, user_id),
  FOREIGN KEY (tenant_id, shift_id) REFERENCES shifts (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX shift_users_user ON shift_users (user_id);

CREATE TABLE group_shifts (
  tenant_id uuid NOT NULL,
  group_id uuid NOT NULL,
  shift_id uuid NOT NULL,
  PRIMARY KEY (group_id, shift_id),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, shift_id) REFERENCES shifts (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX group_shifts_shift ON group_shifts (shift_id);

CREATE TRIGGER shifts_listed AFTER INSERT OR DELETE ON shifts FOR EACH ROW EXECUTE FUNCTION list_row();
`;
