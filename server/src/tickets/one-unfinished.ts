import type { Tx } from "../db/database.ts";
import { alreadyExists } from "../lib/request-errors.ts";
import { findUnfinished } from "./anomaly-store.ts";

/**
 * To be asked under the anomaly's lock, before a ticket of it becomes unfinished: there is one at a time.
 *
 * @throws MusterError already_exists with the unfinished ticket's id in `detail`
 */
export async function requireNoUnfinished(tx: Tx, tenantId: string, anomalyId: string): Promise<void> {
  const ticketId = await findUnfinished(tx, tenantId, anomalyId);
  if (ticketId !== undefined) throw alreadyExists("the anomaly has an unfinished ticket already", ticketId);
}
