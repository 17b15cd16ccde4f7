import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import type { DevicesDeps } from "../deps.ts";
import { suggestDeviceRows } from "./suggest-store.ts";

/** A device as pickers show it: its name and what tells it from others of that name. */
export interface DeviceSuggestion {
  id: string;
  name: string;
  hardwareFingerprint: string | null;
  /** The place in its metadata (`device_place`). */
  place: string | null;
  groupIds: string[];
}

/**
 * Returns at most `limit` devices whose id, name or hardware fingerprint contains `q`, starting with the one that has
 * exactly this id or fingerprint. For search as you type, it covers the newest 20,000 devices only; `listDevices`
 * searches all.
 */
export const suggestDevices = useCase(
  { scope: "devices:read", role: "viewer" },
  async ({ database }: DevicesDeps, caller, q: string, limit: number): Promise<DeviceSuggestion[]> => {
    if (q.includes("\0")) return [];
    const viewer = boundedToGroupsOf(caller);
    const rows = await suggestDeviceRows(database.db, caller.tenantId, { q, limit, viewer });
    return rows.map(({ hardware_fingerprint: hardwareFingerprint, group_ids: groupIds, ...row }) => ({
      ...row,
      hardwareFingerprint,
      groupIds,
    }));
  },
);
