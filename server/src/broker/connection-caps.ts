import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { AddressRange } from "../lib/address.ts";
import type { OnCapReached } from "../lib/sockets/cap-reports.ts";
import { ConnectionTable } from "../lib/sockets/connection-table.ts";
import { RawSockets } from "../lib/sockets/raw-sockets.ts";
import { type OverheadLimits, TlsOverhead } from "../lib/sockets/tls-overhead.ts";
import type { UnauthenticatedConnections } from "../lib/sockets/unauthenticated-connections.ts";
import type { BrokerLimits } from "./limits.ts";

export type ConnectionLimits = OverheadLimits &
  Pick<
    BrokerLimits,
    | "mqttConnectionsPerAddress"
    | "mqttUnauthenticated"
    | "mqttConnections"
    | "mqttFirstPacketBytes"
    | "tlsHandshakeBytes"
  >;

interface CapOptions {
  limits: ConnectionLimits;
  /** Addresses shared by many clients; the per-address cap does not apply to them. */
  proxies: readonly AddressRange[];
  budget: UnauthenticatedConnections;
  onCapReached: OnCapReached;
}

/**
 * Enforces the caps on connections per address, on unauthenticated clients, and on sessions. Unauthenticated clients
 * and sessions are counted separately, so an unauthenticated client never costs another client its session.
 */
export function capConnections({ limits, proxies, budget, onCapReached }: CapOptions) {
  const sockets = new RawSockets();
  const unauthenticated = new ConnectionTable<Socket>(proxies);
  const sessions = new ConnectionTable<Socket>(proxies);
  const evictions = new WeakMap<Socket, () => void>();
  const overhead = new TlsOverhead({
    limits,
    maxFirstBytes: limits.mqttFirstPacketBytes + limits.tlsHandshakeBytes,
    onExceeded(raw) {
      onCapReached("overhead", raw.remoteAddress ?? "");
      raw.destroy();
    },
  });

  function closeOneOf(table: ConnectionTable<Socket>, cap: "unauthenticated" | "total"): void {
    const raw = table.ofGreediest()!;
    table.remove(raw);
    onCapReached(cap, raw.remoteAddress ?? "");
    evictions.get(raw)?.();
    raw.destroy();
  }

  return {
    opened(raw: Socket): void {
      const address = raw.remoteAddress ?? "";
      if (unauthenticated.countOf(address) + sessions.countOf(address) >= limits.mqttConnectionsPerAddress) {
        onCapReached("address", address);
        raw.destroy();
        return;
      }
      if (budget.refuses(raw)) {
        onCapReached("budget", address);
        raw.destroy();
        return;
      }
      sockets.opened(raw);
      overhead.opened(raw);
      unauthenticated.add(raw, address);
      raw.once("close", () => unauthenticated.remove(raw) || sessions.remove(raw));
      if (unauthenticated.size > limits.mqttUnauthenticated) closeOneOf(unauthenticated, "unauthenticated");
    },
    secured(socket: TLSSocket): void {
      sockets.secured(socket);
      const raw = sockets.under(socket);
      if (raw) overhead.secured(raw, socket);
    },
    authenticated(socket: Socket, onEvicted: () => void): void {
      const raw = sockets.under(socket);
      if (!raw || !unauthenticated.remove(raw)) return;
      overhead.admitted(raw);
      budget.authenticated(raw);
      evictions.set(raw, onEvicted);
      sessions.add(raw, raw.remoteAddress ?? "");
      if (sessions.size > limits.mqttConnections) closeOneOf(sessions, "total");
    },
    closeUnauthenticated(): void {
      for (const raw of [...unauthenticated]) raw.destroy();
    },
  };
}
