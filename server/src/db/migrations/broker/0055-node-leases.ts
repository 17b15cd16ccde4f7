/** How long the others wait for a heartbeat. The default is for nodes of an earlier version that run beside newer ones. */
export const nodeLeases = `
-- A node without a heartbeat for so long has no sessions: it ends them itself before, and then others reap it.
ALTER TABLE broker_nodes ADD COLUMN lease_seconds integer NOT NULL DEFAULT 10;
`;
