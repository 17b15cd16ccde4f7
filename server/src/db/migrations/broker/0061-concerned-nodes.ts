/** Which nodes a drop is for, and which of them have not closed a session that was taken over. */
export const concernedNodes = `
CREATE INDEX session_drops_node ON session_drops (node_id, seq);
CREATE INDEX session_drops_client ON session_drops (client_id, at) WHERE client_id IS NOT NULL;
`;
