/** Groups of users and devices, and the shifts that say who is on call. */
export const groupsTables = `
-- Users see the devices of their groups (device_viewers). "channels" and "escalation" say whom the group's pages reach.
CREATE TABLE groups (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  channels jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(channels) = 'array'),
  escalation jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(escalation) = 'array'),
  pages_lost_renewals boolean NOT NULL DEFAULT false,
  -- Which pages of the group ignore the quiet hours of its users.
  tells_hand_overs boolean NOT NULL DEFAULT false,
  always_pages text NOT NULL DEFAULT 'critical' CHECK (always_pages IN ('all', 'critical', 'none')),
  -- The name by which a program that manages the record knows it.
  external_id text CHECK (length(external_id) BETWEEN 1 AND 128),
  UNIQUE (tenant_id, id)
);
CREATE UNIQUE INDEX groups_external_id ON groups (tenant_id, external_id);
CREATE INDEX groups_tell_hand_overs ON groups (id) WHERE tells_hand_overs;
CREATE INDEX groups_page_lost_renewals ON groups (id) WHERE pages_lost_renewals;

CREATE TABLE group_members (
  group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users,
  PRIMARY KEY (group_id, user_id)
);

-- The unique key on tenant and id, read backwards, serves lists, which are newest first.
CREATE TABLE shifts (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  time_zone text NOT NULL,
  start_time text NOT NULL CHECK (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  end_time text NOT NULL CHECK (end_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  -- Each day at most once.
  days_of_week text[] NOT NULL CHECK (cardinality(days_of_week) > 0 AND cardinality(days_of_week) =
    ('mon' = ANY (days_of_week))::int + ('tue' = ANY (days_of_week))::int + ('wed' = ANY (days_of_week))::int
    + ('thu' = ANY (days_of_week))::int + ('fri' = ANY (days_of_week))::int + ('sat' = ANY (days_of_week))::int
    + ('sun' = ANY (days_of_week))::int),
  valid_from date,
  valid_until date,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The name by which a program that manages the record knows it.
  external_id text CHECK (length(external_id) BETWEEN 1 AND 128),
  -- Among the shifts of a group on duty, only those of the highest layer that has users are paged.
  layer smallint NOT NULL DEFAULT 0 CHECK (layer BETWEEN 0 AND 9),
  -- Turns among the users of shift_users: unit, every, startDate, handOverTime, and turns with the ids of users.
  rotation jsonb CHECK (jsonb_typeof(rotation) = 'object'),
  UNIQUE (tenant_id, id),
  CHECK (valid_from <= valid_until)
);
CREATE UNIQUE INDEX shifts_external_id ON shifts (tenant_id, external_id);

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

-- For a time, a user takes the duty of another in a group, or of everybody ("replaces_id" is null). Without a user, an
-- offer is open to everyone of the group; the first to agree takes it.
CREATE TABLE duty_overrides (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  group_id uuid NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  user_id uuid,
  replaces_id uuid,
  state text NOT NULL CHECK (state IN ('offered', 'agreed', 'withdrawn')),
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  agreed_at timestamptz,
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
  FOREIGN KEY (tenant_id, replaces_id) REFERENCES users (tenant_id, id),
  CHECK (starts_at < ends_at),
  CHECK (user_id <> replaces_id),
  CHECK (state <> 'agreed' OR user_id IS NOT NULL),
  CHECK (state = 'agreed' OR replaces_id IS NOT NULL),
  CHECK ((state = 'agreed') = (agreed_at IS NOT NULL))
);
CREATE INDEX duty_overrides_ended ON duty_overrides (ends_at);
CREATE INDEX duty_overrides_group ON duty_overrides (group_id, state);
CREATE INDEX duty_overrides_replaces ON duty_overrides (replaces_id, created_at) WHERE replaces_id IS NOT NULL;
CREATE INDEX duty_overrides_user ON duty_overrides (user_id) WHERE user_id IS NOT NULL;

-- A time in which a user is away: not on duty and not paged.
CREATE TABLE absences (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  note text,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
  CHECK (starts_at < ends_at)
);
CREATE INDEX absences_ended ON absences (ends_at);
CREATE INDEX absences_user ON absences (user_id, starts_at);

-- The secret address of a calendar for a user: of the user's duties, or of a group's.
CREATE TABLE duty_feeds (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  group_id uuid,
  token_sha256 bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  UNIQUE NULLS NOT DISTINCT (user_id, group_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX duty_feeds_group ON duty_feeds (group_id) WHERE group_id IS NOT NULL;

-- Who was on duty in a group when its people were last told of a hand-over.
CREATE TABLE hand_overs (
  group_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  user_ids uuid[],
  next_at timestamptz NOT NULL,
  FOREIGN KEY (tenant_id, group_id) REFERENCES groups (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX hand_overs_next ON hand_overs (next_at);
`;
