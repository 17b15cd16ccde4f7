import type { Caller } from "../access/access.ts";
import { enqueueDrop } from "../connections/connections.ts";
import { inTransaction } from "../db/transaction.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isDeviceId } from "../lib/ids.ts";
import type { Enrolling } from "./deps.ts";
import { refusal } from "./errors.ts";
import { retireDevice, revokeAllOfDevice } from "./revocation-store.ts";
import { dropped, noteAll } from "./revoke-certificate.ts";

/**
 * Deletes a device: revokes all its certificates, drops its sessions, frees its id, its client id and its hardware
 * fingerprint (which may enroll again as a new device, spec 3.1 rule 4). Its audit entries stay.
 *
 * @throws MusterError not_found
 */
export async function deleteDevice(deps: Enrolling, caller: Caller, deviceId: string): Promise<void> {
  if (!isDeviceId(deviceId)) throw noSuchDevice();
  const now = deps.clock.now();
  const seq = await inTransaction(deps.database.db, async (tx) => {
    // The update of the device's row is also its lock; nothing is issued for it from here on.
    const uid = await retireDevice(tx, caller.tenantId, deviceId, now);
    if (uid === undefined) throw noSuchDevice();
    const revoked = await revokeAllOfDevice(tx, caller.tenantId, uid, caller.actor, now);
    await noteAll(deps, tx, caller, revoked, now);
    const seq = await enqueueDrop(tx, { deviceUid: uid, reason: "device deleted" }, now);
    await faultPoint("delete.commit");
    return seq;
  });
  await faultPoint("delete.committed");
  await dropped(deps, seq);
}

function noSuchDevice() {
  return refusal("not_found", { message: "There is no such device." });
}
