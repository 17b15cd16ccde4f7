import { limitTable } from "./limit.ts";

/** The charges of clients without credentials to the budget of their address block, in requests. */
export const CHARGES = {
  request: 1,
  /** The charge for a refusal (4xx) besides its request: well-behaved clients cause few before they authenticate. */
  refusal: 2,
  /** The bytes of an answer that cost as much as a request. */
  bytes: 64 * 1024,
  /** The charge for a connection that ends without authenticating; its TLS handshake costs as much as five requests. */
  connection: 5,
  /** The charge for a request beyond the budget, which is answered 429. Sixty of them cost the refill of one minute. */
  withoutBudget: 100,
  /** The charge for a request that loses its place because its body is late. */
  lateBody: 100,
} as const;

/** The charges, for the table of limits. */
const CHARGES_IN_WORDS =
  `A request costs ${CHARGES.request}, a refusal (4xx) ${CHARGES.refusal} more, every ${CHARGES.bytes / 1024} KiB of an ` +
  `answer ${CHARGES.request}, a connection that ends unauthenticated ${CHARGES.connection}, a request beyond the ` +
  `budget ${CHARGES.withoutBudget}, and one that loses its place because its body is late ${CHARGES.lateBody}`;

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
    reached: "the header is ignored",
    fixed: true,
  },
  forwardedCertificateCharacters: {
    level: "request",
    of: "characters of a header with certificates (RFC 9440)",
    value: 16 * 1024,
    reached: "the header is ignored",
    fixed: true,
  },
  httpsFirstBytes: {
    level: "session",
    of: "bytes from an HTTPS client before its first request begins, plus those of the TLS handshake",
    value: 64 * 1024,
    reached: "the connection is closed and counted",
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
    reached: "408 request_timeout, or the connection is closed if nothing was sent",
  },
  httpsRequestSeconds: {
    level: "session",
    of: "seconds for a whole request",
    value: 20,
    reached: "408 request_timeout",
  },
  httpsIdleSeconds: {
    level: "session",
    of: "seconds without a byte during a request, for example while the client does not read the answer",
    value: 30,
    reached: CLOSED,
  },
  httpsKeepAliveSeconds: {
    level: "session",
    of: "seconds between two requests of a connection",
    value: 65,
    reached: CLOSED,
  },
  httpsRequestsOfConnection: {
    level: "session",
    of: "requests of an HTTPS connection that are in progress or waiting",
    value: 8,
    reached: "the connection is not read until one of them is answered",
    fixed: true,
  },
  httpsUnauthenticatedRequestsOfConnection: {
    level: "session",
    of: "requests that are in progress or waiting, of an HTTPS connection that has not authenticated",
    value: 2,
    reached: "the connection is not read until one of them is answered",
    fixed: true,
  },
  httpsUnsentBytesOfConnection: {
    level: "session",
    of: "bytes of answers that an HTTPS client has not read, plus those of its waiting requests",
    value: 256 * 1024,
    reached: "the connection is not read until some of them are",
    fixed: true,
  },
  httpsRequestsOfAddress: {
    level: "address",
    of: "HTTPS requests in progress from one address block, by all worker processes of a node; live streams do not count",
    value: 64,
    reached:
      "further ones wait, with connections taking turns; one that has waited a second for its body is answered 408 request_timeout",
  },
  httpsUnsentBytesOfAddress: {
    level: "address",
    of: "bytes of answers that the HTTPS clients of one address block have not read, plus those of waiting requests, in each process",
    value: 24 * 1024 * 1024,
    reached: "the connection that has read nothing for the longest time is closed and counted",
  },
  httpsUnauthenticatedRequests: {
    level: "address",
    of: `the budget of one address block, in requests, for HTTPS clients without a valid key, session, claim code or certificate. The worker processes of a node share it evenly. ${CHARGES_IN_WORDS}`,
    value: 3_000,
    reached:
      "429 rate_limited with Retry-After, and the connection is closed and counted; new connections from the block are closed before the TLS handshake, for up to a minute",
    zeroIsNone: true,
  },
  httpsUnauthenticatedRequestsPerSecond: {
    level: "address",
    of: "requests by which this budget is refilled per second",
    value: 100,
    reached: "as above",
  },
  httpsRequests: {
    level: "process",
    of: "HTTPS requests in progress; live streams do not count",
    value: 256,
    reached:
      "further ones wait, with address blocks taking turns and requests with credentials first; late bodies as above",
  },
  httpsUnsentBytes: {
    level: "process",
    of: "bytes of answers that HTTPS clients have not read, plus those of waiting requests",
    value: 96 * 1024 * 1024,
    reached:
      "in the address block with the most of them, the connection that has read nothing for the longest time is closed and counted",
  },
  deviceRequestsPerMinute: {
    level: "address",
    of: "requests per minute to the device-facing endpoints from one address block, across all processes, which exchange their counts every second",
    value: 1_500,
    reached: "429 rate_limited with Retry-After",
    variable: "MUSTER_DEVICE_REQUESTS_PER_MINUTE",
    zeroIsNone: true,
  },
  httpsConnectionsPerAddress: {
    level: "address",
    of: "HTTPS connections from one address block (IPv4 /32, IPv6 /64); addresses of trusted proxies are exempt",
    value: 1_000,
    reached: "its least recently used idle connection is closed or, if none is idle, the new one",
  },
  httpsConnections: {
    level: "process",
    of: "HTTPS connections of one process, including those that have sent requests",
    value: 10_000,
    reached: "the least recently used connection from the address block with the most of them is closed",
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
    of: "devices whose telemetry one event stream of an API key follows",
    value: 200,
    reached: "400 invalid_request, naming the field and the limit",
    fixed: true,
  },
  streamUnsentBytes: {
    level: "session",
    of: "unread bytes of a live stream",
    value: 1024 * 1024,
    reached: "the stream is closed; the client resumes after the last event it has read",
    fixed: true,
  },
  streamsOfTenant: {
    level: "tenant",
    of: "live streams of all sessions of a tenant, in each process",
    value: 100,
    reached: "429 rate_limited with Retry-After",
  },
  streams: {
    level: "process",
    of: "live streams of the admin app; each queries the database every second",
    value: 500,
    reached: "429 rate_limited with Retry-After",
  },
  streamsOfKey: {
    level: "session",
    of: "event streams of an API key, in each process",
    value: 4,
    reached: "429 rate_limited with Retry-After",
    fixed: true,
  },
  keyStreamsOfTenant: {
    level: "tenant",
    of: "event streams of all API keys of a tenant, in each process",
    value: 20,
    reached: "429 rate_limited with Retry-After",
  },
  keyStreams: {
    level: "process",
    of: "event streams of API keys, apart from the live streams of the admin app; each queries the database every second",
    value: 250,
    reached: "429 rate_limited with Retry-After",
  },
  exportRows: {
    level: "request",
    of: "records of a list as a CSV file",
    value: 100_000,
    reached: "the last line of the file says so",
    fixed: true,
  },
  exportMinutes: {
    level: "request",
    of: "minutes in which a client downloads a list as a CSV file",
    value: 10,
    reached: CLOSED,
    fixed: true,
  },
  exportsOfSession: {
    level: "session",
    of: "concurrent CSV exports of one session of the admin app, in each process",
    value: 1,
    reached: "429 rate_limited with Retry-After",
    fixed: true,
  },
  exportsOfTenant: {
    level: "tenant",
    of: "concurrent CSV exports, in each process",
    value: 2,
    reached: "429 rate_limited with Retry-After",
  },
  exports: {
    level: "process",
    of: "concurrent CSV exports; each runs one statement at a time",
    value: 8,
    reached: "429 rate_limited with Retry-After",
  },
  rateLimitedAddresses: {
    level: "process",
    of: "address blocks whose requests are counted",
    value: 20_000,
    reached: "the count of the least recently seen one is dropped",
    fixed: true,
  },
});
