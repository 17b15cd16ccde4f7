/**
 * Which nodes have every session of theirs recorded. Sessions are committed without waiting for the disk, so a crash of PostgreSQL may take back the
 * latest; a standby that takes over may lack more. Both empty an unlogged table: so a node that is not in it has sessions that may not be recorded.
 */
export const completeNodes = `
CREATE UNLOGGED TABLE complete_nodes (
  node_id uuid PRIMARY KEY REFERENCES broker_nodes ON DELETE CASCADE
);
`;
