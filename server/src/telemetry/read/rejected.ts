import { useCase } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import { visibleDeviceUid } from "./device-store.ts";
import { listRejectedRows, type RejectedRow } from "./rejected-store.ts";

/** A message of which something, or everything, is not stored, with the reason. */
export type RejectedRecord = RejectedRow;

/**
 * Lists the last messages of a device of which something is not stored, newest first.
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
