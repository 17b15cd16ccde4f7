import { limitTable } from "./limit.ts";

const CLOSED = "the connection is closed and counted";

/** What TLS of a connection may cost, MQTT and HTTPS, beside the data in it. Clients are checked four times a second. */
export const tls = limitTable({
  tlsHandshakeBytes: {
    level: "session",
    of: "bytes for a TLS handshake, beyond what a client may send before it has authenticated (MQTT) or a request has begun (HTTPS)",
    value: 32 * 1024,
    reached: CLOSED,
    fixed: true,
  },
  // Handshake and KeyUpdates: 2,400 of these a second take some 4 % of a core.
  tlsOverheadBytes: {
    level: "session",
    of: "bytes of TLS that are no data, such as KeyUpdates and headers of records, at once and again each second",
    value: 64 * 1024,
    reached: CLOSED,
    fixed: true,
  },
  // With the 64 KiB, 18,000 acknowledgements a second that are a record each, far more than the limits on messages let through.
  tlsRecordBytes: {
    level: "session",
    of: "bytes a second of TLS beyond those, 8 for each byte of data: what small records take",
    value: 448 * 1024,
    reached: CLOSED,
    fixed: true,
  },
});
