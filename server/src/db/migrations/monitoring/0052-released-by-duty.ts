/**
 * A message that waits for its user's next duty is considered again when the user's duties change: one without a foreseeable duty waited
 * without end.
 */
export const releasedByDuty = `
CREATE INDEX deliveries_deferred ON deliveries (user_id, group_id)
  WHERE state = 'deferred' AND (release_at IS NOT NULL OR deferred_until IS NULL);

-- Triggers have no clock of the service: '-infinity' is due at any time. Locked in one order, so that two changes of shifts take turns.
CREATE FUNCTION consider_deferred() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  the_shift uuid;
  the_group uuid;
  the_user uuid;
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'shifts' THEN the_shift := NEW.id;
    WHEN 'group_shifts' THEN the_shift := NEW.shift_id; the_group := NEW.group_id;
    ELSE the_shift := NEW.shift_id; the_user := NEW.user_id;
  END CASE;
  UPDATE deliveries SET release_at = '-infinity' WHERE id = ANY (ARRAY(
    SELECT d.id FROM group_shifts g JOIN shift_users u ON u.shift_id = g.shift_id
      JOIN deliveries d ON d.user_id = u.user_id AND d.group_id = g.group_id
     WHERE g.shift_id = the_shift AND (the_group IS NULL OR g.group_id = the_group) AND (the_user IS NULL OR u.user_id = the_user)
       AND d.state = 'deferred' AND (d.release_at IS NOT NULL OR d.deferred_until IS NULL) AND d.deferred_by = 'off_shift'
     ORDER BY d.id FOR UPDATE OF d));
  RETURN NULL;
END $$;
CREATE TRIGGER shifts_release_deferred AFTER UPDATE ON shifts FOR EACH ROW EXECUTE FUNCTION consider_deferred();
CREATE TRIGGER group_shifts_release_deferred AFTER INSERT ON group_shifts FOR EACH ROW EXECUTE FUNCTION consider_deferred();
CREATE TRIGGER shift_users_release_deferred AFTER INSERT ON shift_users FOR EACH ROW EXECUTE FUNCTION consider_deferred();
`;
