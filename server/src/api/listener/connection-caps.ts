import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { AddressRange } from "../../lib/address.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { OnCapReached } from "../../lib/sockets/cap-reports.ts";
import { ConnectionTable } from "../../lib/sockets/connection-table.ts";
import { RawSockets } from "../../lib/sockets/raw-sockets.ts";
import { type OverheadLimits, TlsOverhead } from "../../lib/sockets/tls-overhead.ts";
import type { UnauthenticatedConnections } from "../../lib/sockets/unauthenticated-connections.ts";

export type ConnectionLimits = OverheadLimits &
  Pick<Limits, "httpsConnectionsPerAddress" | "httpsConnections" | "httpsFirstBytes" | "tlsHandshakeBytes">;

interface CapOptions {
  limits: ConnectionLimits;
  /** Addresses shared by many clients; the cap per address does not apply to them. */
  proxies: readonly AddressRange[];
  unauthenticated: UnauthenticatedConnections;
  onCapReached: OnCapReached;
}

/** Enforces the caps on connections per address and in total, whether they have sent requests or not. */
export function capConnections({ limits, proxies, unauthenticated, onCapReached }: CapOptions) {
  const sockets = new RawSockets();
  const table = new ConnectionTable<Socket>(proxies);
  const requests = new WeakMap<Socket, number>();
  const overhead = new TlsOverhead({
    limits,
    maxFirstBytes: limits.httpsFirstBytes + limits.tlsHandshakeBytes,
    onExceeded: (raw) => close(raw, "overhead"),
  });

  /** Counts the requests in progress on a connection: with pipelining there may be several. */
  function count(raw: Socket, change: 1 | -1): void {
    const underWay = (requests.get(raw) ?? 0) + change;
    requests.set(raw, underWay);
    table.setBusy(raw, underWay > 0);
  }

  function close(raw: Socket | undefined, cap: "address" | "total" | "overhead"): void {
    if (!raw) return;
    table.remove(raw);
    onCapReached(cap, raw.remoteAddress ?? "");
    raw.destroy();
  }

  return {
    opened(raw: Socket): void {
      const address = raw.remoteAddress ?? "";
      if (unauthenticated.refuses(raw)) {
        onCapReached("budget", address);
        raw.destroy();
        return;
      }
      sockets.opened(raw);
      overhead.opened(raw);
      table.add(raw, address);
      raw.once("close", () => table.remove(raw));
      if (table.countOf(address) > limits.httpsConnectionsPerAddress) close(table.idleOf(address), "address");
      if (table.size > limits.httpsConnections) close(table.ofGreediest(), "total");
    },
    secured(socket: TLSSocket): void {
      sockets.secured(socket);
      const raw = sockets.under(socket);
      if (raw) overhead.secured(raw, socket);
    },
    authenticated(socket: TLSSocket): void {
      const raw = sockets.under(socket);
      if (raw) unauthenticated.authenticated(raw);
    },
    serving(socket: TLSSocket, response: ServerResponse): void {
      const raw = sockets.under(socket);
      if (!raw) return;
      overhead.admitted(raw);
      count(raw, 1);
      response.once("close", () => count(raw, -1));
    },
  };
}
