/** In days, as in the CHECK of tenants.telemetry_retention_days. */
const RETENTION_CLASSES = [7, 30, 90, 180, 365, 730];

/** A partition per retention class, partitioned by time in turn: make_message_day makes those partitions. */
const perClass = (table: string, time: string) =>
  RETENTION_CLASSES.map(
    (days) =>
      `CREATE TABLE ${table}_${days} PARTITION OF ${table} FOR VALUES IN (${days}) PARTITION BY RANGE (${time});`,
  ).join("\n");

/**
 * Published messages, partitioned by retention class and then by day (UTC); docs/database.md explains the flow.
 * Nothing here has a foreign key to devices: a batch must not wait for the lock of a device, and telemetry is deleted
 * in the background after its device.
 */
export const telemetryTables = `
-- The names and kinds of metrics that messages of a device share. A shape is stored once and referenced by number.
CREATE TABLE telemetry_shapes (
  shape_no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_uid uuid NOT NULL,
  -- SHA-256 of the columns below: names may be too long for an index.
  digest bytea NOT NULL,
  -- Ordered by name, texts last.
  metrics text[] NOT NULL,
  -- One letter per metric: n number, b boolean, t text.
  kinds text NOT NULL,
  -- The server's time replaces the device's, which was implausible.
  time_replaced boolean NOT NULL,
  UNIQUE (device_uid, digest),
  CHECK (cardinality(metrics) = length(kinds) AND cardinality(metrics) > 0)
);

-- A row per message (decision 0022). It must have at most eight columns: with a ninth, the null bitmap of nearly every
-- row would cost eight more bytes.
CREATE SEQUENCE telemetry_message_seq;
CREATE TABLE telemetry_messages (
  ts timestamptz NOT NULL,
  -- When several messages of a device share a timestamp, the one with the highest number wins.
  seq bigint NOT NULL DEFAULT nextval('telemetry_message_seq'),
  -- NULL: received at "ts".
  received_at timestamptz,
  shape_no integer NOT NULL,
  -- The retention class of the tenant when the row was stored.
  retention_days smallint NOT NULL,
  -- The values of the shape: numbers and booleans (1 and 0), then texts; NULL if it has none.
  numbers double precision[],
  texts text[],
  PRIMARY KEY (shape_no, ts, retention_days)
) PARTITION BY LIST (retention_days);
${perClass("telemetry_messages", "ts")}

-- The messages of a shape and an hour, compressed column by column (decision 0025).
CREATE TABLE telemetry_chunks (
  -- The beginning of the hour.
  ts timestamptz NOT NULL,
  shape_no integer NOT NULL,
  retention_days smallint NOT NULL,
  data bytea NOT NULL,
  -- The minutes of each metric, one after the other (telemetry/roll-up/minutes-codec.ts), and the offsets of their
  -- ends. If several shapes have a metric in an hour, one of them has its minutes.
  minutes bytea,
  minute_ends integer[],
  PRIMARY KEY (shape_no, ts, retention_days)
) PARTITION BY LIST (retention_days);
-- Both are compressed by the service, and a chart reads a part of the minutes.
ALTER TABLE telemetry_chunks ALTER data SET STORAGE EXTERNAL, ALTER minutes SET STORAGE EXTERNAL;
${perClass("telemetry_chunks", "ts")}

-- The latest values of up to 32 metrics of a device. A message costs one update in place: columns that every message
-- changes come last, because the log contains the bytes between the first and the last change. An array is NULL if all
-- metrics have the value of the column beside it, as after a message with all of them.
CREATE TABLE device_latest (
  device_uid uuid NOT NULL,
  -- Part 0 has the first 32 metrics that the device sent, part 1 the next 32.
  part smallint NOT NULL DEFAULT 0,
  metrics text[] NOT NULL,
  -- One letter per metric: n number, b boolean, t text.
  kinds text NOT NULL,
  -- Part 0 only. An optimistic lock: a batch that was evaluated from another version is refused.
  version bigint,
  -- Part 0 only: when the device sent its last message.
  seen_at timestamptz,
  ts timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  -- The transaction that wrote the values: live streams follow it.
  written xid8 NOT NULL,
  -- 1 and 0 for true and false; 0 for a text.
  numbers double precision[] NOT NULL,
  times timestamptz[],
  -- Also NULL if every metric was received at its time.
  received timestamptz[],
  writers xid8[],
  -- NULL if no metric has the server's time in place of an implausible one.
  replaced boolean[],
  -- NULL if no metric has had a text.
  texts text[],
  PRIMARY KEY (device_uid, part),
  CHECK ((part = 0) = (version IS NOT NULL) AND (part = 0) = (seen_at IS NOT NULL))
) WITH (fillfactor=50);
-- If a row is too long, only the names, which do not change, are moved out of line.
ALTER TABLE device_latest ALTER numbers SET STORAGE MAIN, ALTER times SET STORAGE MAIN, ALTER received SET STORAGE MAIN,
  ALTER writers SET STORAGE MAIN;
CREATE INDEX device_latest_time_replaced ON device_latest (device_uid) WHERE replaced IS NOT NULL;

-- Long charts read the numbers of an hour. Partitions are months, which are kept ten times as long as the readings.
CREATE TABLE telemetry_hour (
  device_uid uuid NOT NULL,
  metric text NOT NULL,
  bucket timestamptz NOT NULL,
  lowest double precision NOT NULL,
  highest double precision NOT NULL,
  total double precision NOT NULL,
  readings integer NOT NULL,
  retention_days smallint NOT NULL,
  PRIMARY KEY (device_uid, metric, bucket, retention_days)
) PARTITION BY LIST (retention_days);
${perClass("telemetry_hour", "bucket")}

-- "Dirty hours" (UTC): hours of devices of which not all messages are in chunks. The transaction that stores a message
-- inserts the mark, and the transaction that computes the hour deletes it. Both hold it, so an hour is never computed
-- while a message is stored into it.
CREATE TABLE roll_up_marks (
  device_uid uuid NOT NULL,
  hour timestamptz NOT NULL,
  chunk_at timestamptz NOT NULL,
  tenant_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  -- When the computation first failed; NULL if it has not.
  failed_at timestamptz,
  -- For a large hour that is computed in steps: everything before this time is in chunks.
  done_to timestamptz,
  -- A message was stored between two steps: the hour is computed once more.
  is_late boolean NOT NULL DEFAULT false,
  PRIMARY KEY (device_uid, hour)
);
CREATE INDEX roll_up_marks_chunk ON roll_up_marks (chunk_at);
CREATE INDEX roll_up_marks_failed ON roll_up_marks (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX roll_up_marks_hour ON roll_up_marks (hour);
CREATE INDEX roll_up_marks_steps ON roll_up_marks (tenant_id, chunk_at) WHERE done_to IS NOT NULL;
CREATE INDEX roll_up_marks_turn ON roll_up_marks (tenant_id, chunk_at);

-- Messages that no reading could be taken from. "payload" is the beginning; "payload_bytes" is the size of the whole,
-- NULL if "payload" is the whole.
CREATE TABLE rejected_messages (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  device_uid uuid NOT NULL,
  at timestamptz NOT NULL,
  topic text NOT NULL,
  reason text NOT NULL,
  payload bytea NOT NULL,
  payload_bytes integer,
  -- The number of values that are stored; 0 if nothing of the message is.
  stored_values integer NOT NULL DEFAULT 0,
  -- The first fields that are not stored, [{path, reason}], and the number of all.
  problems jsonb NOT NULL DEFAULT '[]',
  problem_count integer NOT NULL DEFAULT 0
);
CREATE INDEX rejected_messages_tenant ON rejected_messages (tenant_id, at);
CREATE INDEX rejected_messages_device ON rejected_messages (device_uid, at DESC, id DESC);

-- Deleted devices whose telemetry is still to be deleted.
CREATE TABLE telemetry_deletions (
  device_uid uuid PRIMARY KEY,
  -- When the deletion may begin. While a process deletes, this is its lease.
  due_at timestamptz NOT NULL,
  -- The last pass deletes what a message that was in flight stored after the first one.
  passes_left smallint NOT NULL DEFAULT 2 CHECK (passes_left > 0)
);
CREATE INDEX telemetry_deletions_due ON telemetry_deletions (due_at);
`;
