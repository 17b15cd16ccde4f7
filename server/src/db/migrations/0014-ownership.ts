/**
 * One owner for every table: what a feature shares with the others is a view of its own, `shared_<table>`, with the columns
 * that others may read. Views are plain, so that the planner inlines them.
 */
export const ownership = `
-- access

-- audit

-- devices

-- groups

-- certificates

-- enrollment

-- connections

-- telemetry

-- rules

-- anomalies

-- tickets

-- events

-- notifications

-- visibility: which devices a user who is no admin sees, through the groups both belong to
CREATE VIEW device_viewers AS
  SELECT dg.device_uid, m.user_id
    FROM device_groups dg JOIN group_members m ON m.group_id = dg.group_id;
`;
