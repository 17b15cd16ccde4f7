import { useCase } from "../access/access.ts";
import { revokeIssuedToDevice } from "../certificates/certificates.ts";
import { enqueueDrop } from "../connections/connections.ts";
import { inTransaction } from "../db/transaction.ts";
import { retireDevice } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isDeviceId } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import { confirmDrop } from "./confirm-drop.ts";
import type { EnrollmentDeps } from "./deps.ts";

/**
 * Deletes a device: revokes all its certificates and closes its sessions. Its id, its client id and its hardware fingerprint
 * become free; the hardware may enroll again as a new device (spec 3.1 rule 4). Its audit entries stay.
 *
 * @throws MusterError not_found
 */
export const deleteDevice = useCase(
  { role: "admin" },
  async (deps: EnrollmentDeps, caller, deviceId: string): Promise<void> => {
    if (!isDeviceId(deviceId)) throw notFound("device");
    const { ids } = deps;
    const now = deps.clock.now();
    const drop = await inTransaction(deps.database.db, async (tx) => {
      // Locks the device's row, so no certificate is issued to it after this.
      const uid = await retireDevice(tx, caller.tenantId, deviceId, now);
      if (uid === undefined) throw notFound("device");
      await revokeIssuedToDevice(tx, caller, uid, { ids, now });
      const seq = await enqueueDrop(tx, { deviceUid: uid, reason: "device deleted" }, now);
      await faultPoint("delete.commit");
      return seq;
    });
    await faultPoint("delete.committed");
    await confirmDrop(deps, drop);
  },
);
