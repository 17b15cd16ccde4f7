import { useCase } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import { visibleDeviceUid } from "./device-store.ts";
import { listRejectedRows, type RejectedRow } from "./rejected-store.ts";

/** A message whose payload could not be parsed, with the reason. */
export type RejectedRecord = RejectedRow;

/**
 * The last rejected messages of a device, newest first.
 *
 * @throws MusterError not_found
 */
export const listRejected = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database: { db } }: { database: Pick<Database, "db"> },
    caller,
    deviceId: string,
  ): Promise<RejectedRecord[]> => {
    const uid = await visibleDeviceUid(db, caller, deviceId);
    return await listRejectedRows(db, caller.tenantId, uid);
  },
);
