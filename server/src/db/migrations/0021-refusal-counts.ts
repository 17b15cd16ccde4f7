/**
 * Under attack the refusals of one address and reason are counted on one entry instead of being stored one by one: `occurrences` says
 * how many it stands for, `last_at` when the last of them was.
 */
export const refusalCounts = `
ALTER TABLE connection_refusals ADD COLUMN occurrences bigint NOT NULL DEFAULT 1 CHECK (occurrences > 0),
  ADD COLUMN last_at timestamptz;
`;
