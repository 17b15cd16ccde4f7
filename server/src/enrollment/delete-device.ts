import { adminUseCase, type PreparedChange } from "../access/access.ts";
import { revokeIssuedToDevice } from "../certificates/certificates.ts";
import { deleteCommandsOf } from "../commands/commands.ts";
import { type DropNumbers, enqueueDrops } from "../connections/connections.ts";
import { retireDevice } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isDeviceId } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import { enqueueTelemetryDeletion } from "../telemetry/telemetry.ts";
import { revokeClaimsOfDevice } from "./claims/claim-store.ts";
import { confirmDrops } from "./confirm-drops.ts";
import type { EnrollmentDeps } from "./deps.ts";

/**
 * Deletes a device, revokes all its certificates and closes its sessions. Its id, client id and hardware fingerprint
 * become available, so the hardware may enroll again as a new device (spec 3.1 rule 4). Its audit entries stay; a job
 * deletes its telemetry.
 *
 * @throws MusterError not_found
 */
export const deleteDevice = adminUseCase(
  { scope: "device-registry:delete", role: "admin" },
  "device.delete",
  async (deps: EnrollmentDeps, caller, deviceId: string): Promise<PreparedChange<void>> => {
    if (!isDeviceId(deviceId)) throw notFound("device");
    const { ids } = deps;
    const now = deps.clock.now();
    let drops: DropNumbers;
    return {
      change: async (tx) => {
        // Claims are locked before devices, as by a redemption.
        await revokeClaimsOfDevice(tx, caller.tenantId, deviceId, caller.actor, now);
        // This locks the device's row, so no certificate is issued to it afterwards.
        const device = await retireDevice(tx, caller.tenantId, deviceId, now);
        if (device === undefined) throw notFound("device");
        const { uid, ...before } = device;
        const revokedCertificates = await revokeIssuedToDevice(tx, caller, uid, { ids, now });
        await enqueueTelemetryDeletion(tx, uid, now);
        await deleteCommandsOf(tx, uid);
        drops = await enqueueDrops(tx, { deviceUid: uid, reason: "device deleted" }, now);
        await faultPoint("delete.commit");
        return { target: deviceId, before, after: { revokedCertificates }, result: undefined };
      },
      committed: async () => {
        await faultPoint("delete.committed");
        await confirmDrops(deps, drops);
      },
    };
  },
);
