import { useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { findCertificateOfDevice, revokeIssued } from "../certificates/certificates.ts";
import { certificateNotFound } from "../certificates/errors.ts";
import { enqueueDrop } from "../connections/connections.ts";
import { inTransaction } from "../db/transaction.ts";
import { lockDeviceRecord } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isUuid } from "../lib/ids.ts";
import { confirmDrop } from "./confirm-drop.ts";
import type { EnrollmentDeps } from "./deps.ts";

/**
 * Revokes one certificate, then closes its sessions: they are closed when this returns (spec 3.2, 4.8). Repeatable: a
 * certificate that is already revoked, also by renewal, keeps its reason, and its remaining sessions are closed.
 *
 * @throws MusterError certificate_not_found
 */
export const revokeCertificate = useCase(
  { scope: "device-certificates:revoke", role: "admin" },
  async (deps: EnrollmentDeps, caller, id: string): Promise<void> => {
    if (!isUuid(id)) throw certificateNotFound();
    const { ids } = deps;
    const now = deps.clock.now();
    const drop = await inTransaction(deps.database.db, async (tx) => {
      const found = await findCertificateOfDevice(tx, caller.tenantId, id);
      if (found === undefined) throw certificateNotFound();
      const { deviceUid, ...identity } = found;
      await lockDeviceRecord(tx, caller.tenantId, deviceUid);
      const result = (await revokeIssued(tx, caller, id, { ids, now })) ? "revoked" : "unchanged";
      const certificate = { id, ...identity };
      await recordWrite(tx, caller, { resource: "certificate", id, result, at: now, certificate }, ids);
      const seq = await enqueueDrop(tx, { certificateId: id, reason: "certificate revoked" }, now);
      await faultPoint("revoke.commit");
      return seq;
    });
    await faultPoint("revoke.committed");
    await confirmDrop(deps, drop);
  },
);
