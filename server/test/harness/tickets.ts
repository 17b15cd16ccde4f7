import type { Caller } from "../../src/access/access.ts";
import { getAnomaly } from "../../src/anomalies/view-anomalies.ts";
import type { Database } from "../../src/db/database.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { type Ids, randomIds } from "../../src/lib/ids.ts";
import { openAnomalies } from "../../src/rules/open-anomalies.ts";
import { createThreshold } from "../../src/rules/packs.ts";

interface Where {
  database: Database;
  clock: Clock;
  ids?: Ids;
}

/** An open anomaly of the device, of a threshold pack of its own that watches it. @returns its id */
export async function addAnomaly(where: Where, caller: Caller, deviceId: string): Promise<string> {
  const deps = { ids: randomIds, ...where };
  const { id: thresholdId, rules } = await createThreshold(deps, caller, {
    name: "Bearings",
    rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }],
  });
  const { uid: deviceUid } = await where.database.db
    .selectFrom("devices")
    .select("uid")
    .where("tenant_id", "=", caller.tenantId)
    .where("id", "=", deviceId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  const watch = { tenant_id: caller.tenantId, device_uid: deviceUid, threshold_id: thresholdId };
  await where.database.db.insertInto("device_thresholds").values(watch).execute();
  const [anomaly] = await openAnomalies(deps, [{ deviceUid, thresholdId, rule: rules[0]!, value: 91 }]);
  return anomaly!.id;
}

/** The ticket that the anomaly shows. */
export async function ticketOf(where: Where, caller: Caller, anomalyId: string): Promise<string | null> {
  return (await getAnomaly({ ids: randomIds, ...where }, caller, anomalyId)).ticketId;
}
