/**
 * An hour that is too large for one part is computed in steps, each a transaction: one that lasts for as long as millions of rows take would have late messages wait,
 * and every event of all tenants, which is read once no transaction is older.
 */
export const hoursInSteps = `
-- Of an hour that is computed in steps: all before this time is in chunks. Null: it is computed at once, or its first step is not taken yet.
ALTER TABLE roll_up_marks ADD COLUMN done_to timestamptz;
-- A message was stored into it since then, maybe before that time: it is computed once more.
ALTER TABLE roll_up_marks ADD COLUMN is_late boolean NOT NULL DEFAULT false;
CREATE INDEX roll_up_marks_steps ON roll_up_marks (tenant_id, chunk_at) WHERE done_to IS NOT NULL;
CREATE FUNCTION all_nodes_mark_late() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM broker_nodes WHERE schema_number < 74)
$$;
`;
