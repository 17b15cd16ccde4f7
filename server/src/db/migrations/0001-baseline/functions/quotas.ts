/**
 * Quotas of a tenant, in rounds of allowances (decision 0012). A round begins with an exact count under the exclusive
 * lock of a tenant and quota. Processes take allowances out of what the count left and spend them from memory; each
 * addition checks, under the shared lock, that its round is still the current one. So additions run side by side, and
 * none exceeds the quota.
 */
export const quotasFunctions = `
-- The advisory lock of a tenant's quota: shared for transactions that spend allowances, exclusive for those that count.
CREATE FUNCTION quota_lock(tenant uuid, quota text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT uuid_hash_extended(tenant, hashtext('quota ' || quota))
$$;

-- Aborts the statement unless the round is the current one. Without a round the caller has counted under the exclusive
-- lock. The round is read by a separate statement after the lock, so it sees what the lock waited for.
CREATE FUNCTION spend_allowance(tenant uuid, the_quota text, the_round uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF the_round IS NULL OR pg_advisory_xact_lock_shared(quota_lock(tenant, the_quota)) IS NULL THEN
    RETURN true;
  END IF;
  IF EXISTS (SELECT FROM quota_rounds r WHERE r.tenant_id = tenant AND r.quota = the_quota AND r.round = the_round) THEN
    RETURN true;
  END IF;
  RETURN muster_refuse('quota_round_over');
END $$;

-- Aborts the statement unless fewer than "per_minute" tickets were created in the minute before "at". Ticket numbers
-- have no gaps, so the ticket whose number is lower by "per_minute" decides. VOLATILE, because it must be read after
-- the lock of ticket_numbers was granted.
CREATE FUNCTION ticket_within_rate(tenant uuid, next integer, per_minute integer, at timestamptz)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF per_minute > 0 AND NOT EXISTS (
    SELECT FROM (SELECT t.created_at FROM tickets t WHERE t.tenant_id = tenant AND t.number <= next - per_minute
                  ORDER BY t.tenant_id DESC, t.number DESC LIMIT 1) earlier
     WHERE earlier.created_at > at - interval '1 minute') THEN RETURN true; END IF;
  RETURN muster_refuse('ticket_rate');
END $$;
`;
