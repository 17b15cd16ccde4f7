import { type Clock, MINUTE } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";

/**
 * The cap for which a connection was closed: of its address block, of unauthenticated ones, of all, of bytes that are no data, of what
 * its block may cost before it authenticates, or of answers that it did not read; or its CONNECT refused: of those of its address block in
 * a minute, or of bytes that wait to be sent to all clients.
 */
export type ConnectionCap =
  | "address"
  | "unauthenticated"
  | "total"
  | "overhead"
  | "budget"
  | "unsent"
  | "connects"
  | "waiting";

/** Told about every connection that is closed because a cap is reached. */
export type OnCapReached = (cap: ConnectionCap, address: string) => void;

export interface CapReportTools {
  metrics: Pick<Metrics, "connectionsClosed">;
  logger: Logger;
  clock: Pick<Clock, "monotonicMs">;
}

/** Counts connections that are closed because a cap is reached, and logs one line a minute for each cap. */
export function reportCaps(listener: "mqtt" | "https", { metrics, logger, clock }: CapReportTools): OnCapReached {
  const lines = new Map<ConnectionCap, { loggedAt: number; closed: number }>();
  return (cap, address) => {
    metrics.connectionsClosed.inc({ listener, cap });
    const line = lines.get(cap) ?? { loggedAt: Number.NEGATIVE_INFINITY, closed: 0 };
    lines.set(cap, line);
    line.closed++;
    const now = clock.monotonicMs();
    if (now - line.loggedAt < MINUTE) return;
    logger.warn({ listener, cap, closed: line.closed, address }, "connections are closed: a cap is reached");
    line.loggedAt = now;
    line.closed = 0;
  };
}
