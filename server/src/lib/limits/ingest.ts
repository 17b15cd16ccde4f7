import { limitTable } from "./limit.ts";

/** The effect of a cap that rejects a message: the session and its other messages are not affected. */
const REJECTED = "the message is rejected with a reason; the session stays";

/** Telemetry: what one message, device or tenant may cost ingest. */
export const ingest = limitTable({
  payloadBytes: {
    level: "message",
    of: "bytes of a telemetry payload",
    value: 128 * 1024,
    reached: REJECTED,
    fixed: true,
  },
  readingsPerMessage: {
    level: "message",
    of: "readings (points in time) in one message",
    value: 1_000,
    reached: REJECTED,
  },
  metricsPerMessage: {
    level: "message",
    of: "different metrics in one message",
    value: 200,
    reached: REJECTED,
    fixed: true,
  },
  metricNameBytes: {
    level: "message",
    of: "bytes of a metric's name",
    value: 128,
    reached: REJECTED,
    fixed: true,
  },
  metricTextBytes: {
    level: "message",
    of: "bytes of a text value",
    value: 1_024,
    reached: REJECTED,
    fixed: true,
  },
  metricsPerDevice: {
    level: "device",
    of: "metrics with a latest value, per device",
    value: 500,
    reached: "the values of further metrics are not stored, with a reason; the session stays",
  },
  shapesPerDevice: {
    level: "device",
    of: "combinations of metrics whose messages, for one device, are stored as one row",
    value: 100,
    reached: "a message with a further combination is stored as one row per metric",
  },
  shapeColumnsPerDevice: {
    level: "device",
    of: "metrics in all of these combinations, counted once per combination",
    value: 4_000,
    reached: "a message with a further combination is stored as one row per metric",
  },
  tenantRowsPerBatch: {
    level: "tenant",
    of: "rows (readings × metrics) of one tenant in one batch, while other tenants send too",
    value: 500,
    reached: "its further messages wait for its next turn; those of other tenants do not",
  },
  tenantBytesPerBatch: {
    level: "tenant",
    of: "payload bytes of one tenant in one batch, while other tenants send too",
    value: 512 * 1024,
    reached: "its further messages wait for its next turn; those of other tenants do not",
    fixed: true,
  },
  messagesPerBatch: {
    level: "process",
    of: "messages stored in one batch",
    value: 1_000,
    reached: "further messages wait for the next batch",
    fixed: true,
  },
  rowsPerBatch: {
    level: "process",
    of: "rows (readings × metrics) stored in one batch",
    value: 2_000,
    reached: "further messages wait for the next batch",
    fixed: true,
  },
  bytesPerBatch: {
    level: "process",
    of: "payload bytes stored in one batch",
    value: 2 * 1024 * 1024,
    reached: "further messages wait for the next batch",
    fixed: true,
  },
  rejectedMessagesPerDevice: {
    level: "device",
    of: "stored rejected messages",
    value: 20,
    reached: "the oldest one is deleted",
    fixed: true,
  },
  rejectedPayloadBytes: {
    level: "message",
    of: "bytes of a rejected message's payload that are stored",
    value: 16 * 1024,
    reached: "the start of the payload is stored, with its full length",
    fixed: true,
  },
});
