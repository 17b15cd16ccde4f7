/**
 * What decides a device's certificate state is stored with the device, so that the list of devices can be narrowed by it and sorted.
 * Only the time is missing from it: a certificate expires without a change.
 */
export const certificateStates = `
-- Of the certificates that are not revoked, the one that ends last: when, its kind, and from when it should be renewed.
-- "certificate_revoked": whether the newest certificate is revoked; null without certificates.
ALTER TABLE devices ADD COLUMN certificate_until timestamptz,
  ADD COLUMN certificate_kind text CHECK (certificate_kind IN ('self_enrolled', 'platform')),
  ADD COLUMN certificate_renew_after timestamptz,
  ADD COLUMN certificate_revoked boolean;

WITH newest AS (
  SELECT DISTINCT ON (c.device_uid) c.device_uid, c.revoked_at IS NOT NULL AS revoked FROM certificates c
   ORDER BY c.device_uid, c.issued_at DESC, c.id DESC
), last AS (
  SELECT DISTINCT ON (c.device_uid) c.device_uid, c.not_after, c.kind, c.renew_after FROM certificates c WHERE c.revoked_at IS NULL
   ORDER BY c.device_uid, c.not_after DESC, c.issued_at DESC, c.id DESC
)
UPDATE devices d SET certificate_until = l.not_after, certificate_kind = l.kind, certificate_renew_after = l.renew_after,
       certificate_revoked = n.revoked
  FROM newest n LEFT JOIN last l USING (device_uid) WHERE d.uid = n.device_uid;

-- The transaction that issues or revokes has locked the device.
CREATE FUNCTION certificate_of_device_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE devices d SET (certificate_until, certificate_kind, certificate_renew_after, certificate_revoked) = (
    SELECT l.not_after, l.kind, l.renew_after, n.revoked
      FROM (SELECT c.revoked_at IS NOT NULL AS revoked FROM certificates c WHERE c.device_uid = NEW.device_uid
             ORDER BY c.issued_at DESC, c.id DESC LIMIT 1) n
      LEFT JOIN (SELECT c.not_after, c.kind, c.renew_after FROM certificates c
                  WHERE c.device_uid = NEW.device_uid AND c.revoked_at IS NULL
                  ORDER BY c.not_after DESC, c.issued_at DESC, c.id DESC LIMIT 1) l ON true)
   WHERE d.uid = NEW.device_uid;
  RETURN NULL;
END $$;
CREATE TRIGGER certificates_of_device_added AFTER INSERT ON certificates
  FOR EACH ROW EXECUTE FUNCTION certificate_of_device_changed();
CREATE TRIGGER certificates_of_device_revoked AFTER UPDATE OF revoked_at ON certificates
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION certificate_of_device_changed();
`;
