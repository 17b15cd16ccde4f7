import { SECOND } from "../lib/clock.ts";

/** What one peer may do to us (reliability.md B7, B8). */
export interface BrokerLimits {
  /** Bytes of one packet with its header: of a session, and of a peer that has not authenticated. */
  maxPacket: number;
  maxPacketUnauthenticated: number;
  /** Sustained rates of a client, held by not reading; a burst of one second's worth passes. `Infinity` lifts one. */
  messagesPerSecond: number;
  bytesPerSecond: number;
  /** For the TLS handshake, and then for an accepted CONNECT. */
  handshakeMs: number;
  connectMs: number;
  /** Sockets that have not authenticated; above it the oldest goes, since an honest peer needs it only briefly. */
  maxUnauthenticated: number;
  /** Bytes that wait for a client which does not read; above it the client is disconnected. */
  maxBacklog: number;
}

export const DEFAULT_LIMITS: BrokerLimits = {
  maxPacket: 256 * 1024,
  maxPacketUnauthenticated: 64 * 1024,
  messagesPerSecond: 100,
  bytesPerSecond: 512_000,
  handshakeMs: 10 * SECOND,
  connectMs: 10 * SECOND,
  maxUnauthenticated: 2_000,
  maxBacklog: 4 * 1024 * 1024,
};
