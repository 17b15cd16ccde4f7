/**
 * Who is sending a delivery: what a process that is gone has in hand is due at once, whatever its lease says. A process is
 * gone when the others have taken it out of the books (ten seconds without a beat) or it has left them itself.
 *
 * "next_at" becomes the time of the claim, which is past by the service's clock; the database's may be another one.
 */
export const releasedDeliveries = `
ALTER TABLE deliveries ADD COLUMN claimed_by uuid;

CREATE FUNCTION release_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- What is locked is in the hands of another process by now.
  UPDATE deliveries SET next_at = claimed_at, claimed_by = NULL WHERE id IN (
    SELECT id FROM deliveries WHERE state = 'pending' AND claimed_by = OLD.id FOR UPDATE SKIP LOCKED);
  RETURN NULL;
END $$;
CREATE TRIGGER broker_nodes_gone AFTER DELETE ON broker_nodes FOR EACH ROW EXECUTE FUNCTION release_deliveries();
`;
