/** Threshold packs, the state of their rules, and the checks for silent devices. */
export const rulesTables = `
-- A threshold pack. Rules are never queried individually, so they are stored as one JSON array, in the order in which
-- they are shown: [{id, metric, operator, value, …}].
CREATE TABLE thresholds (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  enabled boolean NOT NULL DEFAULT true,
  rules json NOT NULL
    CHECK (CASE json_typeof(rules) WHEN 'array' THEN json_array_length(rules) BETWEEN 1 AND 50 ELSE false END),
  created_at timestamptz NOT NULL,
  -- Increases with every change of the rules: a process compares it with the one it has cached.
  revision integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL,
  -- The revision at which the pack was last enabled or disabled.
  since_revision integer NOT NULL DEFAULT 1,
  rule_ids uuid[] NOT NULL GENERATED ALWAYS AS (rule_ids(rules)) STORED,
  -- Processes load these with a device, without parsing the rules first.
  metrics text[] NOT NULL GENERATED ALWAYS AS (rule_metrics(rules)) STORED,
  has_memory boolean NOT NULL
    GENERATED ALWAYS AS (jsonb_path_exists(rules::jsonb, '$[*] ? (exists (@.measure) || exists (@.and) || exists (@.or))')) STORED,
  measures_age boolean NOT NULL GENERATED ALWAYS AS (jsonb_path_exists(rules::jsonb, '$.**.kind ? (@ == "age")')) STORED,
  reads_metadata boolean NOT NULL GENERATED ALWAYS AS (jsonb_path_exists(rules::jsonb, '$.**.metadata')) STORED,
  -- The name by which a program that manages the record knows it.
  external_id text CHECK (length(external_id) BETWEEN 1 AND 128),
  UNIQUE (tenant_id, id)
);
CREATE UNIQUE INDEX thresholds_external_id ON thresholds (tenant_id, external_id);

-- The state of a rule for a device, where its anomalies do not say it: a breach that has not lasted long enough yet
-- (pending), or an open anomaly whose values are good again (clearing). "since" is in device time. "memory" is what
-- the conditions of a rule remember that compares more than single readings.
CREATE TABLE rule_states (
  device_uid uuid NOT NULL,
  rule_id uuid NOT NULL,
  threshold_id uuid NOT NULL,
  phase text CHECK (phase IN ('pending', 'clearing')),
  since timestamptz,
  memory jsonb,
  PRIMARY KEY (device_uid, rule_id),
  CHECK ((phase IS NULL) = (since IS NULL) AND (phase IS NOT NULL OR memory IS NOT NULL))
) WITH (fillfactor=70);
CREATE INDEX rule_states_threshold ON rule_states (threshold_id);

-- When to check next whether a device is silent.
CREATE TABLE silence_checks (
  device_uid uuid PRIMARY KEY,
  due_at timestamptz NOT NULL
) WITH (fillfactor=80);
CREATE INDEX silence_checks_due ON silence_checks (due_at);

-- Device types whose devices are being added to silence_checks, in order of their uids.
CREATE TABLE silence_rechecks (
  device_type_id uuid PRIMARY KEY,
  after_uid uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
`;
