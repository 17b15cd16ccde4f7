import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Of the stream between the acknowledgement of a message and its commit. Those of the stream itself have a value in processes that use it. */
export interface IngestStreamMetrics {
  /** Messages that this process has appended, each acknowledged. */
  readonly streamAppended: Counter;
  /** Seconds that an append took. */
  readonly streamAppends: Histogram;
  /** Appends that the stream did not confirm; they are repeated. */
  readonly streamAppendsFailed: Counter;
  /** Messages of the stream that this process has stored. */
  readonly streamStored: Counter;
  /** Messages of the stream that the database refuses in any form. */
  readonly streamRefused: Counter;
  /** Partitions that this process stores. */
  readonly streamPartitions: Gauge;
  /** Batches in the stream. */
  readonly streamBatches: Gauge;
  /** Bytes of the stream; `of` is `used` or `limit`. */
  readonly streamBytes: Gauge<"of">;
  /** Seconds since the oldest batch of the stream was appended; 0 where it is empty. */
  readonly streamOldest: Gauge;
  /** Whether the stream takes messages of this process; no value where it is not used. */
  readonly streamAvailable: Gauge<"stream">;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function ingestStreamMetrics(registers: Registry[]): IngestStreamMetrics {
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  /** All processes see the same stream. */
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
    streamStored: counter("muster_stream_stored_messages_total", "Messages of the ingest stream that were stored"),
    streamRefused: counter(
      "muster_stream_refused_messages_total",
      "Messages of the ingest stream that the database refuses",
    ),
    streamPartitions: new Gauge({
      name: "muster_stream_partitions",
      help: "Partitions of the ingest stream that a process stores",
      aggregator: "sum",
      registers,
    }),
    streamBatches: gauge("muster_stream_batches", "Batches in the ingest stream"),
    streamBytes: gauge("muster_stream_bytes", "Bytes of the ingest stream, used and at most", ["of"]),
    streamOldest: gauge(
      "muster_stream_oldest_seconds",
      "Age of the oldest batch in the ingest stream; 0 when it is empty",
    ),
    streamAvailable: new Gauge({
      name: "muster_stream_available",
      help: "Whether the ingest stream takes messages of a process, where it is used",
      labelNames: ["stream"],
      aggregator: "min",
      registers,
    }),
  };
}
