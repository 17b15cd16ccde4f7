import { limitTable } from "./limit.ts";

const CLOSED = "the connection is closed";

/** HTTPS: what one request, connection or address may cost the listener. */
export const https = limitTable({
  headerBytes: {
    level: "request",
    of: "bytes of the headers of a request",
    value: 32 * 1024,
    reached: "431 headers_too_large",
    fixed: true,
  },
  pathSegmentCharacters: {
    level: "request",
    of: "characters of one id in the path of a request",
    value: 256,
    reached: "404 not_found",
    fixed: true,
  },
  forwardedCertificates: {
    level: "request",
    of: "certificates in a header of a trusted proxy (RFC 9440)",
    value: 8,
    reached: "the header counts as none",
    fixed: true,
  },
  forwardedCertificateCharacters: {
    level: "request",
    of: "characters of a header with certificates (RFC 9440)",
    value: 16 * 1024,
    reached: "the header counts as none",
    fixed: true,
  },
  httpsHandshakeSeconds: {
    level: "session",
    of: "seconds for the TLS handshake of an HTTPS client",
    value: 10,
    reached: CLOSED,
  },
  httpsHeaderSeconds: {
    level: "session",
    of: "seconds for the headers of a request",
    value: 10,
    reached: "408 request_timeout, or the connection is closed where nothing was sent",
  },
  httpsRequestSeconds: {
    level: "session",
    of: "seconds for a whole request",
    value: 20,
    reached: "408 request_timeout",
  },
  httpsIdleSeconds: {
    level: "session",
    of: "seconds without a byte during a request, as when the client does not read the answer",
    value: 30,
    reached: CLOSED,
  },
  httpsKeepAliveSeconds: {
    level: "session",
    of: "seconds between two requests of a connection",
    value: 65,
    reached: CLOSED,
  },
  deviceRequestsPerMinute: {
    level: "address",
    of: "requests a minute to the device-facing endpoints from one address block, in each process",
    value: 600,
    reached: "429 rate_limited with Retry-After",
    variable: "MUSTER_DEVICE_REQUESTS_PER_MINUTE",
    zeroIsNone: true,
  },
  httpsConnectionsPerAddress: {
    level: "address",
    of: "HTTPS connections from one address block (IPv4 /32, IPv6 /64); addresses of trusted proxies are exempt",
    value: 1_000,
    reached: "its connection without a request that was used least recently is closed, or else the new one",
  },
  httpsConnections: {
    level: "process",
    of: "HTTPS connections of one process, also those that have sent requests",
    value: 10_000,
    reached: "the connection used least recently of the address block with most of them is closed",
  },
  streamsOfSession: {
    level: "session",
    of: "live streams of a session of the admin app, in each process",
    value: 4,
    reached: "429 rate_limited with Retry-After",
    fixed: true,
  },
  streamDevices: {
    level: "request",
    of: "devices whose telemetry one live stream of the admin app follows",
    value: 200,
    reached: "400 invalid_request, naming the field and the limit",
    fixed: true,
  },
  streamUnsentBytes: {
    level: "session",
    of: "bytes of a live stream that the client has not read yet",
    value: 1024 * 1024,
    reached: "the stream is closed; the client continues after the last event that it has read",
    fixed: true,
  },
  streams: {
    level: "process",
    of: "live streams of the admin app; each asks the database every second",
    value: 500,
    reached: "429 rate_limited with Retry-After",
  },
  rateLimitedAddresses: {
    level: "process",
    of: "address blocks whose requests are counted",
    value: 20_000,
    reached: "the count of the one without requests for longest is dropped",
    fixed: true,
  },
});
