import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { revokeLiveOfDevice } from "../../certificates/certificates.ts";
import { type DropNumbers, enqueueDrops } from "../../connections/connections.ts";
import { lockDevice } from "../../devices/devices.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { isDeviceId } from "../../lib/ids.ts";
import { confirmDrops } from "../confirm-drops.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { refusal } from "../errors.ts";

/**
 * Revokes every live certificate of a device and closes its sessions before it returns. The device stays. It may enroll
 * again with a new claim only after an administrator has deleted it, or with a bundle. Idempotent.
 *
 * @returns the ids of the certificates that this call revoked
 * @throws MusterError device_not_found
 */
export const revokeDeviceCertificates = adminUseCase(
  { role: "admin" },
  "device.revoke-certificates",
  async (deps: EnrollmentDeps, caller, deviceId: string): Promise<PreparedChange<{ revoked: string[] }>> => {
    if (!isDeviceId(deviceId)) throw refusal("device_not_found");
    let drops: DropNumbers = [];
    return {
      change: async (tx) => {
        const now = deps.clock.now();
        const uid = await lockDevice(tx, caller.tenantId, deviceId);
        if (uid === undefined) throw refusal("device_not_found");
        const revoked = await revokeLiveOfDevice(tx, caller, uid, { ids: deps.ids, now });
        drops = await enqueueDrops(tx, { deviceUid: uid, reason: "certificate revoked" }, now);
        await faultPoint("revoke.commit");
        return { target: deviceId, after: { revoked }, result: { revoked }, unchanged: revoked.length === 0 };
      },
      committed: async () => {
        await faultPoint("revoke.committed");
        await confirmDrops(deps, drops);
      },
    };
  },
);
