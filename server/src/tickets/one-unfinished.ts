import type { Tx } from "../db/database.ts";
import { alreadyExists } from "../lib/request-errors.ts";
import { findUnfinished } from "./anomaly-tickets-store.ts";

/**
 * Enforces that an anomaly has at most one unfinished ticket. Must be called under the anomaly's lock, before one of
 * its tickets becomes unfinished.
 *
 * @throws MusterError already_exists with the unfinished ticket's id in `detail`
 */
export async function requireNoUnfinished(tx: Tx, tenantId: string, anomalyId: string): Promise<void> {
  const ticketId = await findUnfinished(tx, tenantId, anomalyId);
  if (ticketId !== undefined) throw alreadyExists("the anomaly already has an unfinished ticket", ticketId);
}
