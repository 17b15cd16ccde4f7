import { boundedToGroupsOf, type NamedRecord, useCase } from "../../access/access.ts";
import { isDeviceId } from "../../lib/ids.ts";
import type { DevicesDeps } from "../deps.ts";
import { findDeviceNames } from "./suggest-store.ts";

/** The name line of a device: its name, and its groups and place, which tell it from others of that name. */
export interface NamedDevice extends NamedRecord {
  groupIds: string[];
  place: string | null;
}

/** Returns the names of those `ids` that are devices which the caller sees. */
export const nameDevices = useCase(
  { role: "viewer" },
  async ({ database }: DevicesDeps, caller, ids: readonly string[]): Promise<NamedDevice[]> => {
    const viewer = boundedToGroupsOf(caller);
    const rows = await findDeviceNames(database.db, caller.tenantId, { ids: ids.filter(isDeviceId), viewer });
    return rows.map(({ group_ids: groupIds, ...row }) => ({ ...row, groupIds, deleted: false }));
  },
);
