import type { Caller } from "../../src/access/access.ts";
import { getAnomaly } from "../../src/anomalies/view-anomalies.ts";
import type { Database } from "../../src/db/database.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";

/** Returns the ticket that the anomaly shows. */
export async function ticketOf(
  where: { database: Database; clock: Clock },
  caller: Caller,
  anomalyId: string,
): Promise<string | null> {
  return (await getAnomaly({ ids: randomIds, ...where }, caller, anomalyId)).ticketId;
}
