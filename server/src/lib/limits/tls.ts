import { limitTable } from "./limit.ts";

const CLOSED = "the connection is closed and counted";

/** The cost of TLS on an MQTT or HTTPS connection, apart from its data. Clients are checked four times per second. */
export const tls = limitTable({
  tlsHandshakeBytes: {
    level: "session",
    of: "bytes for a TLS handshake, beyond what a client may send before it has authenticated (MQTT) or a request has begun (HTTPS)",
    value: 32 * 1024,
    reached: CLOSED,
    fixed: true,
  },
  // Covers the handshake and KeyUpdates: 2,400 of these per second take about 4 % of a core.
  tlsOverheadBytes: {
    level: "session",
    of: "bytes of TLS other than data, such as KeyUpdates and record headers, as a burst and again each second",
    value: 64 * 1024,
    reached: CLOSED,
    fixed: true,
  },
  // Together with the 64 KiB, permits 18,000 acknowledgements per second in a record each, far more than the message
  // limits let through.
  tlsRecordBytes: {
    level: "session",
    of: "further bytes of TLS per second, 8 for each byte of data: the overhead of small records",
    value: 448 * 1024,
    reached: CLOSED,
    fixed: true,
  },
});
