import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { inUse, notFound } from "../../lib/request-errors.ts";
import type { DevicesDeps } from "../deps.ts";
import { findTypeThresholds } from "../device-type-store.ts";
import { toDeviceTypeRecord } from "../device-types.ts";
import { countUse, deleteDeviceTypeRow, lockToDelete } from "./type-use-store.ts";

/**
 * Deletes a device type that no device has and no open claim names. Ended claims lose it; their audit entries retain
 * it.
 *
 * @throws MusterError not_found; in_use, with the numbers of `devices` and `openClaims`
 */
export const deleteDeviceType = adminUseCase(
  { scope: "device-types:write", role: "admin" },
  "device-type.delete",
  async (deps: DevicesDeps, { tenantId }, id: string): Promise<PreparedChange<void>> => {
    if (!isUuid(id)) throw notFound("device type");
    return {
      change: async (tx) => {
        const row = await lockToDelete(tx, tenantId, id);
        if (row === undefined) throw notFound("device type");
        const use = await countUse(tx, tenantId, id, undefined, deps.clock.now());
        if (use.devices > 0 || use.openClaims > 0)
          throw inUse(
            "the device type is in use: give its devices another one, and revoke the claims that name it",
            use,
          );
        const before = toDeviceTypeRecord(row, await findTypeThresholds(tx, tenantId, id));
        await deleteDeviceTypeRow(tx, tenantId, id);
        return { target: id, before, result: undefined };
      },
    };
  },
);
