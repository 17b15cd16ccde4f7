import { limitTable } from "./limit.ts";

/** Telemetry: what one message, device or tenant may cost ingest. */
export const ingest = limitTable({
  readingsPerMessage: {
    level: "message",
    of: "readings (points in time) in one message",
    value: 1_000,
    reached: "the message is rejected with a reason; the session stays",
  },
  metricsPerDevice: {
    level: "device",
    of: "metric names that one device has latest values of",
    value: 500,
    reached: "the message that would add one is rejected with a reason",
  },
});
