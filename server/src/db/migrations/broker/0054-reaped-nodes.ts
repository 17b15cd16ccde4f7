/** Nodes whose sessions are removed in several statements, and drops that concern one node. */
export const reapedNodes = `
-- Since then its sessions are being removed, because it has no heartbeat or its process has ended.
ALTER TABLE broker_nodes ADD COLUMN reaped_at timestamptz;
-- The one node that has what is to be closed; NULL for every node.
ALTER TABLE session_drops ADD COLUMN node_id uuid;
`;
