/** Whether every node that runs reads chunks, so that rows may go which are in chunks: processes before step 66 do not. */
export const nodesReadChunks = `
CREATE FUNCTION all_nodes_read_chunks() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM broker_nodes WHERE schema_number < 66)
$$;
`;
