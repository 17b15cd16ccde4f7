/** Anomalies, from opening to resolution. */
export const anomaliesTables = `
-- An anomaly belongs to a rule, to a certificate, or, with neither, to a device that is silent: then pack, rule and
-- metric are NULL. It describes itself what was wrong, so it outlives its pack and its device: "device_id" still names
-- a deleted device, and "threshold_id" has no foreign key. A trigger checks the pack when the anomaly opens
-- (functions/anomalies.ts).
CREATE TABLE anomalies (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  device_uid uuid NOT NULL,
  device_id text NOT NULL,
  threshold_id uuid,
  rule_id uuid,
  metric text,
  -- "value" and "breached" (the limit) are JSON: a number, a boolean, a string or [low, high].
  value jsonb NOT NULL,
  breached jsonb NOT NULL,
  severity text NOT NULL CHECK (severity IN ('critical', 'major', 'minor', 'warning')),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'acknowledged', 'resolved')),
  message text NOT NULL,
  opened_at timestamptz NOT NULL,
  last_observed_at timestamptz NOT NULL,
  occurrences bigint NOT NULL CHECK (occurrences > 0),
  acknowledged_at timestamptz,
  acknowledged_by text,
  comment text,
  resolved_at timestamptz,
  resolved_by text,
  -- The ticket that is shown with the anomaly: the unfinished one, otherwise the newest. tables/tickets.ts adds the
  -- foreign key, because each of the two tables refers to the other.
  ticket_id uuid,
  -- Why the service resolved an anomaly whose values were still bad. anomalies/end-reason.ts has the texts.
  end_reason text
    CHECK (end_reason IN ('pack_unassigned_from_device', 'pack_unassigned_from_device_type', 'device_type_changed',
      'rule_changed', 'pack_disabled', 'pack_deleted', 'silence_allowed', 'renewals_not_paged')),
  -- The certificate whose renewal is overdue.
  certificate_id uuid REFERENCES certificates,
  UNIQUE (tenant_id, id),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
  CHECK ((resolved_at IS NULL) = (resolved_by IS NULL)),
  CHECK (CASE status
    WHEN 'open' THEN acknowledged_at IS NULL
    WHEN 'acknowledged' THEN acknowledged_at IS NOT NULL
    ELSE true END),
  CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL)),
  CHECK ((rule_id IS NULL) = (threshold_id IS NULL)),
  CHECK ((rule_id IS NULL) = (metric IS NULL)),
  CONSTRAINT anomalies_commented CHECK (comment IS NULL OR acknowledged_at IS NOT NULL OR resolved_at IS NOT NULL),
  CONSTRAINT anomalies_ended CHECK (end_reason IS NULL OR resolved_at IS NOT NULL),
  CONSTRAINT anomalies_of_certificate CHECK (certificate_id IS NULL OR rule_id IS NULL),
  FOREIGN KEY (tenant_id, device_uid) REFERENCES devices (tenant_id, uid)
);
-- A certificate pages once, so resolved anomalies count too.
CREATE UNIQUE INDEX anomalies_certificate ON anomalies (certificate_id) WHERE certificate_id IS NOT NULL;
CREATE INDEX anomalies_listed_by_device ON anomalies (tenant_id, device_id, id);
CREATE INDEX anomalies_listed_by_severity ON anomalies (tenant_id, severity, id);
CREATE INDEX anomalies_listed_by_status ON anomalies (tenant_id, status, id);
CREATE INDEX anomalies_listed_by_threshold ON anomalies (tenant_id, threshold_id, id);
-- Few anomalies are unresolved, and very many are resolved.
CREATE INDEX anomalies_listed_unresolved ON anomalies (tenant_id, id) WHERE resolved_at IS NULL;
CREATE INDEX anomalies_lost_renewals ON anomalies (certificate_id)
  WHERE certificate_id IS NOT NULL AND resolved_at IS NULL;
CREATE INDEX anomalies_of_device ON anomalies (device_uid, id);
CREATE UNIQUE INDEX anomalies_silent ON anomalies (device_uid)
  WHERE resolved_at IS NULL AND rule_id IS NULL AND certificate_id IS NULL;
CREATE UNIQUE INDEX anomalies_unresolved ON anomalies (device_uid, rule_id) WHERE resolved_at IS NULL;
CREATE INDEX anomalies_unresolved_threshold ON anomalies (threshold_id) WHERE resolved_at IS NULL;
`;
