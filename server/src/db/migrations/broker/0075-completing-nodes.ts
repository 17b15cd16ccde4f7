/**
 * Nodes that record their sessions again. A crash of PostgreSQL since the beginning may have taken back what was recorded since then, and empties an unlogged
 * table: so an attempt that is still in it has lost nothing.
 */
export const completingNodes = `
CREATE UNLOGGED TABLE completing_nodes (
  node_id uuid PRIMARY KEY REFERENCES broker_nodes ON DELETE CASCADE,
  attempt uuid NOT NULL
);
`;
