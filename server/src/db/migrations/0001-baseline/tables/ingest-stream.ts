/** The stream between the acknowledgement of a message and its commit (docs/scaling.md). */
export const ingestStreamTables = `
-- Which process stores which partition of the stream, and how far it is stored. "stored_sequence" and stream_progress
-- change in the transactions that store the messages.
CREATE TABLE stream_partitions (
  partition smallint PRIMARY KEY,
  owner_id uuid,
  -- A fencing token: it increases with every owner, so a former owner cannot store.
  epoch bigint NOT NULL DEFAULT 0,
  renewed_at timestamptz,
  -- When NATS created the stream: sequence numbers of another stream mean nothing.
  stream_id text,
  -- All batches up to this one are stored.
  stored_sequence bigint NOT NULL DEFAULT 0,
  -- By appending process: the number of its last batch up to stored_sequence.
  producers jsonb NOT NULL DEFAULT '{}',
  -- When the owner last reached the end of the partition.
  caught_up_at timestamptz
) WITH (fillfactor=50);
INSERT INTO stream_partitions (partition) SELECT generate_series(0, 15);

-- Messages of batches after stored_sequence that a transaction has stored, as a string of 0 and 1, NULL for all. Each
-- transaction inserts a row of its own, so none waits for another.
CREATE TABLE stream_progress (
  partition smallint NOT NULL,
  sequence bigint NOT NULL,
  stored text
);
CREATE INDEX stream_progress_sequence ON stream_progress (partition, sequence);

-- The way of messages in each process: no process may store directly while another one appends to the stream.
CREATE TABLE stream_processes (
  id uuid PRIMARY KEY,
  wanted text NOT NULL CHECK (wanted IN ('direct', 'stream')),
  way text NOT NULL CHECK (way IN ('direct', 'stream', 'none')),
  seen_at timestamptz NOT NULL
);
`;
