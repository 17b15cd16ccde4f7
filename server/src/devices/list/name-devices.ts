import { boundedToGroupsOf, type NamedRecord, useCase } from "../../access/access.ts";
import { isDeviceId } from "../../lib/ids.ts";
import type { DevicesDeps } from "../deps.ts";
import { findDeviceNames } from "./suggest-store.ts";

/** Returns the names of those `ids` that are devices which the caller sees. */
export const nameDevices = useCase(
  { role: "viewer" },
  async ({ database }: DevicesDeps, caller, ids: readonly string[]): Promise<NamedRecord[]> => {
    const viewer = boundedToGroupsOf(caller);
    const rows = await findDeviceNames(database.db, caller.tenantId, { ids: ids.filter(isDeviceId), viewer });
    return rows.map((row) => ({ ...row, deleted: false }));
  },
);
