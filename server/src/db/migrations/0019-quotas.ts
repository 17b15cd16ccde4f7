/**
 * Quotas of a tenant: values of its own, and rounds of allowances for what is added often.
 *
 * A round begins with an exact count under the exclusive lock of a tenant and quota. Processes take allowances out of what the
 * count left, `unallotted`, and spend them from memory; each addition checks, under the shared lock, that its round still is the
 * current one. So additions run side by side, and none is made that a count has not made room for.
 */
export const quotas = `
CREATE TABLE tenant_quotas (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  quota text NOT NULL,
  value integer NOT NULL CHECK (value >= 0),
  PRIMARY KEY (tenant_id, quota)
);

-- "value": the quota that the round was counted for. A round that was counted for another value is not continued.
CREATE TABLE quota_rounds (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  quota text NOT NULL,
  round uuid NOT NULL,
  value integer NOT NULL,
  unallotted integer NOT NULL CHECK (unallotted >= 0),
  PRIMARY KEY (tenant_id, quota)
);

-- The advisory lock of a tenant's quota: shared by transactions that spend allowances, exclusive for those that count.
CREATE FUNCTION quota_lock(tenant uuid, quota text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT uuid_hash_extended(tenant, hashtext('quota ' || quota))
$$;

-- Aborts the statement unless the round is the current one; without a round the caller has counted under the exclusive lock.
-- VOLATILE: the round is read after the lock was granted, not in the snapshot of the calling statement.
CREATE FUNCTION spend_allowance(tenant uuid, the_quota text, the_round uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF the_round IS NULL THEN RETURN true; END IF;
  PERFORM pg_advisory_xact_lock_shared(quota_lock(tenant, the_quota));
  PERFORM FROM quota_rounds r WHERE r.tenant_id = tenant AND r.quota = the_quota AND r.round = the_round;
  IF FOUND THEN RETURN true; END IF;
  RETURN muster_refuse('quota_round_over');
END $$;

-- True. A statement that calls it is planned without parallel workers: starting them takes longer than reading the tail of a list,
-- whose length the planner cannot know.
CREATE FUNCTION in_one_process() RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL UNSAFE AS $$ SELECT true $$;

-- What the counts read, beside views that exist already.
CREATE VIEW shared_claims AS SELECT id, tenant_id, status, expires_at FROM claims;
CREATE VIEW shared_mqtt_clients AS SELECT id, tenant_id, disabled_at FROM mqtt_clients;
CREATE VIEW shared_tickets AS SELECT id, tenant_id, number, created_at FROM tickets;
CREATE OR REPLACE VIEW shared_thresholds AS SELECT id, tenant_id, name, rule_ids FROM thresholds;
CREATE INDEX claims_open ON claims (tenant_id, expires_at) WHERE status = 'pending';
CREATE INDEX users_counted ON users (tenant_id) WHERE deleted_at IS NULL;
CREATE INDEX api_keys_counted ON api_keys (tenant_id, expires_at) WHERE revoked_at IS NULL;

-- Aborts the statement unless fewer than "per_minute" tickets were created in the minute before "at". Tickets are numbered
-- without gaps under the lock of ticket_numbers, so the one that is "per_minute" numbers earlier decides. VOLATILE: it is read
-- after that lock was granted.
CREATE FUNCTION ticket_within_rate(tenant uuid, next integer, per_minute integer, at timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF per_minute > 0 AND NOT EXISTS (
    SELECT FROM (SELECT t.created_at FROM tickets t WHERE t.tenant_id = tenant AND t.number <= next - per_minute
                  ORDER BY t.tenant_id DESC, t.number DESC LIMIT 1) earlier
     WHERE earlier.created_at > at - interval '1 minute') THEN RETURN true; END IF;
  RETURN muster_refuse('ticket_rate');
END $$;
`;
