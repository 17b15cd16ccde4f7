import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import type { DevicesDeps } from "../deps.ts";
import { suggestDeviceRows } from "./suggest-store.ts";

export interface DeviceSuggestion {
  id: string;
  name: string;
}

/**
 * Returns at most `limit` devices whose id or name contains `q`, starting with the one with exactly this id. For search
 * as you type, it covers the newest 20,000 devices only; `listDevices` searches all.
 */
export const suggestDevices = useCase(
  { scope: "devices:read", role: "viewer" },
  async ({ database }: DevicesDeps, caller, q: string, limit: number): Promise<DeviceSuggestion[]> =>
    q.includes("\0")
      ? []
      : await suggestDeviceRows(database.db, caller.tenantId, { q, limit, viewer: boundedToGroupsOf(caller) }),
);
