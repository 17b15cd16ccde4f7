/**
 * What processes know together of the stream between the acknowledgement of a message and its commit (docs/scaling.md): who stores which of its
 * partitions, and what of them is stored. `stored_sequence` and `stream_progress` change in the transactions that store the messages.
 */
export const ingestStream = `
CREATE TABLE stream_partitions (
  partition smallint PRIMARY KEY,
  owner_id uuid,
  -- Counts the owners: a former one cannot store any more.
  epoch bigint NOT NULL DEFAULT 0,
  renewed_at timestamptz,
  -- When NATS created the stream; sequences of another stream mean nothing.
  stream_id text,
  -- All batches up to it are stored.
  stored_sequence bigint NOT NULL DEFAULT 0,
  -- Process that appends -> the number of its last batch up to stored_sequence.
  producers jsonb NOT NULL DEFAULT '{}',
  -- When its owner last found nothing more to read.
  caught_up_at timestamptz
) WITH (fillfactor = 50);
INSERT INTO stream_partitions (partition) SELECT generate_series(0, 15);

-- Of batches after stored_sequence: which of their messages a transaction has stored, as 0 and 1, NULL for all. A row for each transaction: none waits for another.
CREATE TABLE stream_progress (
  partition smallint NOT NULL,
  sequence bigint NOT NULL,
  stored text
);
CREATE INDEX stream_progress_sequence ON stream_progress (partition, sequence);

-- Which way messages of devices take in each process: none may store them directly while another one appends them.
CREATE TABLE stream_processes (
  id uuid PRIMARY KEY,
  wanted text NOT NULL CHECK (wanted IN ('direct', 'stream')),
  way text NOT NULL CHECK (way IN ('direct', 'stream', 'none')),
  seen_at timestamptz NOT NULL
);
`;
