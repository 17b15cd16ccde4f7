import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/**
 * The metrics of the stream between the acknowledgement of a message and its commit. The stream's own metrics have a
 * value only in processes that use it.
 */
export interface IngestStreamMetrics {
  /** Messages that this process has appended and acknowledged. */
  readonly streamAppended: Counter;
  /** The duration of an append in seconds. */
  readonly streamAppends: Histogram;
  /** Appends that the stream did not confirm; they are retried. */
  readonly streamAppendsFailed: Counter;
  /** Messages from the stream that this process has stored. */
  readonly streamStored: Counter;
  /** Messages from the stream that the database refuses in any form. */
  readonly streamRefused: Counter;
  /** Partitions stored by this process. */
  readonly streamPartitions: Gauge;
  /** Batches in the stream. */
  readonly streamBatches: Gauge;
  /** Bytes of the stream; `of` is `used` or `limit`. */
  readonly streamBytes: Gauge<"of">;
  /** Seconds since the oldest batch of the stream was appended; 0 if it is empty. */
  readonly streamOldest: Gauge;
  /** Whether the stream accepts messages from this process; no value if it is not used. */
  readonly streamAvailable: Gauge<"stream">;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function ingestStreamMetrics(registers: Registry[]): IngestStreamMetrics {
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  /** Creates a gauge that is aggregated by its maximum, since all processes see the same stream. */
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, aggregator: "max", registers });
  return {
    streamAppended: counter("muster_stream_appended_messages_total", "Messages appended to the ingest stream"),
    streamAppends: new Histogram({
      name: "muster_stream_append_seconds",
      help: "Time to append a batch to the ingest stream",
      buckets: SECONDS,
      registers,
    }),
    streamAppendsFailed: counter(
      "muster_stream_appends_failed_total",
      "Appends that the ingest stream did not confirm",
    ),
    streamStored: counter("muster_stream_stored_messages_total", "Messages from the ingest stream that were stored"),
    streamRefused: counter(
      "muster_stream_refused_messages_total",
      "Messages from the ingest stream that the database refuses",
    ),
    streamPartitions: new Gauge({
      name: "muster_stream_partitions",
      help: "Partitions of the ingest stream that a process stores",
      aggregator: "sum",
      registers,
    }),
    streamBatches: gauge("muster_stream_batches", "Batches in the ingest stream"),
    streamBytes: gauge("muster_stream_bytes", "Bytes of the ingest stream, used and maximum", ["of"]),
    streamOldest: gauge(
      "muster_stream_oldest_seconds",
      "Age of the oldest batch in the ingest stream; 0 if it is empty",
    ),
    streamAvailable: new Gauge({
      name: "muster_stream_available",
      help: "Whether the ingest stream accepts messages from a process, if it is used",
      labelNames: ["stream"],
      aggregator: "min",
      registers,
    }),
  };
}
