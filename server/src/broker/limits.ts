import { SECOND } from "../lib/clock.ts";

/** What one client may cost this process: memory, messages and time. */
export interface BrokerLimits {
  /** Bytes of one packet with its header: of a session, and of a client that has not authenticated. */
  maxPacket: number;
  maxPacketUnauthenticated: number;
  /**
   * Sustained rates of a client, kept by reading its socket no faster; a burst of one second's worth passes. `Infinity` is no limit.
   */
  messagesPerSecond: number;
  bytesPerSecond: number;
  /** For the TLS handshake, and then for an accepted CONNECT. */
  handshakeMs: number;
  connectMs: number;
  /** Sockets that have not authenticated. Beyond it the oldest is closed: an honest client authenticates at once. */
  maxUnauthenticated: number;
  /** Bytes waiting to be sent to a client that does not read; beyond it the client is disconnected. */
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
