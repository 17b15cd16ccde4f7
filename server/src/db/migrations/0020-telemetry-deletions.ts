/**
 * Which deleted devices still have telemetry. A deletion only adds a row, so that it is quick however much there is; a job deletes what the
 * device has, and then the row. Devices that were deleted before this step have a row as well.
 */
export const telemetryDeletions = `
CREATE TABLE telemetry_deletions (
  device_uid uuid PRIMARY KEY,
  -- When it may be deleted; while a process deletes it, when another may take over.
  due_at timestamptz NOT NULL,
  -- The last pass deletes what a message that was under way stored after the one before it.
  passes_left smallint NOT NULL DEFAULT 2 CHECK (passes_left > 0)
);
CREATE INDEX telemetry_deletions_due ON telemetry_deletions (due_at);

INSERT INTO telemetry_deletions (device_uid, due_at, passes_left) SELECT uid, deleted_at, 1 FROM devices WHERE deleted_at IS NOT NULL;
`;
