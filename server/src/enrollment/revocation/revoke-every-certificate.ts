import { listDevicesWithCertificate, revokeIssuedToDevices } from "../../certificates/certificates.ts";
import { enqueueDrops } from "../../connections/connections.ts";
import { inTransaction } from "../../db/transaction.ts";
import { lockDeviceRecords } from "../../devices/devices.ts";
import { confirmDrops } from "../confirm-drops.ts";
import type { EnrollmentDeps } from "../deps.ts";

/** The number of devices per transaction, which then ends well within a request's time limit. */
const DEVICES_AT_ONCE = 200;

/**
 * Revokes every certificate of every tenant and closes its sessions, in batches of devices; repeat it after an
 * interruption. For the shell. The devices' rows are locked first, so that no renewal or bundle is issued during a
 * batch.
 *
 * @returns how many were not revoked before
 */
export async function revokeEveryCertificate(deps: EnrollmentDeps): Promise<number> {
  const { database, ids, clock } = deps;
  let revoked = 0;
  for (;;) {
    const uids = await listDevicesWithCertificate(database.db, DEVICES_AT_ONCE);
    if (uids.length === 0) return revoked;
    const drops = await inTransaction(database.db, async (tx) => {
      const now = clock.now();
      await lockDeviceRecords(tx, uids);
      const rows = await revokeIssuedToDevices(tx, uids, "system", { ids, now });
      revoked += rows.length;
      return await enqueueDrops(tx, { certificateIds: rows.map(({ id }) => id), reason: "revoked" }, now);
    });
    await confirmDrops(deps, drops);
  }
}
