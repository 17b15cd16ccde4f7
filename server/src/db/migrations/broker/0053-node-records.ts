/** What a shell shows of a broker node, and what it asks of it. The defaults are for nodes of an earlier version that run beside newer ones. */
export const nodeRecords = `
ALTER TABLE broker_nodes
  ADD COLUMN host text NOT NULL DEFAULT '',
  ADD COLUMN version text NOT NULL DEFAULT '',
  -- Which part of the service the process is: all, jobs or serve.
  ADD COLUMN part text NOT NULL DEFAULT '',
  -- Since then the node is to accept no connections and to end its sessions.
  ADD COLUMN draining_at timestamptz;
`;
