import { type Clock, MINUTE } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics/metrics.ts";

/**
 * The cap for which a connection was closed or a CONNECT refused. A connection is closed for the number of its address
 * block, of unauthenticated connections or of all; for bytes other than data; for its block's unauthenticated budget;
 * for unread answers; or for a late body while other requests wait. A CONNECT is refused for its address block's rate,
 * or for the bytes waiting to be sent to all clients.
 */
export type ConnectionCap =
  | "address"
  | "unauthenticated"
  | "total"
  | "overhead"
  | "budget"
  | "unsent"
  | "body"
  | "connects"
  | "waiting";

/** Called for every connection that is closed by a cap. */
export type OnCapReached = (cap: ConnectionCap, address: string) => void;

export interface CapReportTools {
  metrics: Pick<Metrics, "connectionsClosed">;
  logger: Logger;
  clock: Pick<Clock, "monotonicMs">;
}

/** Counts connections closed by a cap, and logs one line per minute and cap. */
export function reportCaps(listener: "mqtt" | "https", { metrics, logger, clock }: CapReportTools): OnCapReached {
  const lines = new Map<ConnectionCap, { loggedAt: number; closed: number }>();
  return (cap, address) => {
    metrics.connectionsClosed.inc({ listener, cap });
    const line = lines.get(cap) ?? { loggedAt: Number.NEGATIVE_INFINITY, closed: 0 };
    lines.set(cap, line);
    line.closed++;
    const now = clock.monotonicMs();
    if (now - line.loggedAt < MINUTE) return;
    logger.warn({ listener, cap, closed: line.closed, address }, "closing connections: a cap is reached");
    line.loggedAt = now;
    line.closed = 0;
  };
}
