/**
 * A row for the latest values of up to 32 metrics of a device, and in its first row when it sent its last message: a message then costs one update in
 * place instead of one a metric and one of `devices`, which has seven indexes. `devices.last_seen_at` stays for connects and disconnects.
 *
 * Columns that every message changes come last: the log has what lies between the first and the last byte that an update changes. An array
 * is NULL where all metrics have the value of the column beside it, as after a message with all of them.
 */
const create = `
CREATE TABLE device_latest (
  device_uid uuid NOT NULL,
  -- Metrics 0 to 31 in the order in which the device first sent them are part 0, the next 32 part 1.
  part smallint NOT NULL DEFAULT 0,
  metrics text[] NOT NULL,
  -- A letter each: n number, b boolean, t text.
  kinds text NOT NULL,
  -- Of part 0 alone. Counts the batches that were stored: a batch that was evaluated from another version is refused.
  version bigint,
  -- Of part 0 alone: when the device sent its last message.
  seen_at timestamptz,
  ts timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  -- The transaction that wrote the values, from which followers know what has changed.
  written xid8 NOT NULL,
  -- 1 and 0 for true and false; 0 for a text.
  numbers float8[] NOT NULL,
  times timestamptz[],
  -- NULL beside "times", too, where every metric was received at its time.
  received timestamptz[],
  writers xid8[],
  -- NULL where no metric has the server's time in place of an implausible one.
  replaced boolean[],
  -- NULL where no metric has had a text.
  texts text[],
  PRIMARY KEY (device_uid, part),
  CHECK ((part = 0) = (version IS NOT NULL) AND (part = 0) = (seen_at IS NOT NULL))
) WITH (fillfactor = 50);
-- Of a row that is too long only the names, which do not change, are stored apart.
ALTER TABLE device_latest ALTER numbers SET STORAGE MAIN, ALTER times SET STORAGE MAIN, ALTER received SET STORAGE MAIN,
  ALTER writers SET STORAGE MAIN;
CREATE INDEX device_latest_time_replaced ON device_latest (device_uid) WHERE replaced IS NOT NULL;

CREATE VIEW shared_device_latest AS
  SELECT device_uid, version, seen_at FROM device_latest WHERE part = 0;
-- A row a metric. "any_replaced" is what the index has; "row_writer" is the transaction that wrote the row.
CREATE VIEW shared_latest_values AS
  SELECT l.device_uid, u.metric, coalesce(u.ts, l.ts) AS ts, coalesce(u.received_at, u.ts, l.received_at) AS received_at,
         coalesce(u.replaced, false) AS time_replaced, u.kind,
         CASE WHEN u.kind = 'n' THEN u.number END AS number, CASE WHEN u.kind = 'b' THEN u.number = 1 END AS flag,
         CASE WHEN u.kind = 't' THEN u.text END AS text,
         coalesce(u.writer, l.written) AS written, l.xmin AS row_writer, l.replaced IS NOT NULL AS any_replaced, l.part, u.place
    FROM device_latest l
   CROSS JOIN LATERAL unnest(l.metrics, string_to_array(l.kinds, NULL), l.numbers, l.texts, l.times, l.received, l.replaced, l.writers)
         WITH ORDINALITY AS u (metric, kind, number, text, ts, received_at, replaced, writer, place);
`;

/** Inserts the rows of devices from the latest values of before, a row a metric. @param which a condition on `telemetry_latest` */
export const convertLatest = (which: string) => `
INSERT INTO device_latest (device_uid, part, metrics, kinds, version, seen_at, ts, received_at, written, numbers, times, received, replaced, texts)
SELECT device_uid, part, array_agg(metric ORDER BY metric),
       string_agg(CASE WHEN number IS NOT NULL THEN 'n' WHEN flag IS NOT NULL THEN 'b' ELSE 't' END, '' ORDER BY metric),
       CASE WHEN part = 0 THEN 1 END,
       CASE WHEN part = 0 THEN max(max(received_at)) OVER (PARTITION BY device_uid) END,
       max(ts), max(received_at), pg_current_xact_id(), array_agg(coalesce(number, flag::int, 0) ORDER BY metric),
       CASE WHEN min(ts) < max(ts) THEN array_agg(ts ORDER BY metric) END,
       CASE WHEN CASE WHEN min(ts) < max(ts) THEN bool_or(received_at <> ts) ELSE min(received_at) < max(received_at) END
            THEN array_agg(received_at ORDER BY metric) END,
       CASE WHEN bool_or(time_replaced) THEN array_agg(time_replaced ORDER BY metric) END,
       CASE WHEN bool_or(text IS NOT NULL) THEN array_agg(text ORDER BY metric) END
  FROM (SELECT *, (row_number() OVER (PARTITION BY device_uid ORDER BY metric) - 1) / 32 AS part
          FROM telemetry_latest WHERE ${which}) l
 GROUP BY device_uid, part`;

/** The table of before stays: see step 57. What a process of an earlier version stores waits until this transaction has ended. */
export const deviceLatest = `${create}
LOCK TABLE telemetry_latest IN ACCESS EXCLUSIVE MODE;
${convertLatest("true")};
`;
