/** An hour that cannot be computed is tried again later, so that the other hours of its tenant are computed; it is not due meanwhile, but counts. */
export const failedHours = `
-- When it failed first; null while it has not.
ALTER TABLE roll_up_marks ADD COLUMN failed_at timestamptz;
CREATE INDEX roll_up_marks_failed ON roll_up_marks (failed_at) WHERE failed_at IS NOT NULL;
`;
