import type { Caller } from "../access/access.ts";
import { noteRevocations, noteWrite } from "../audit/audit.ts";
import { certificateNotFound } from "../certificates/errors.ts";
import { enqueueDrop } from "../connections/connections.ts";
import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isUuid } from "../lib/ids.ts";
import type { Enrolling } from "./deps.ts";
import { DROP_TIMEOUT_MS } from "./limits.ts";
import { findRevocable, lockDeviceUid, type RevokedCertificate, revokeRequested } from "./revocation-store.ts";

/**
 * Revokes one certificate: committed first, then its sessions are dropped; when this returns they are gone (spec 3.2, 4.8).
 * May be repeated: one that is revoked already, also by renewal, keeps its reason and only loses what sessions it has left.
 *
 * @throws MusterError certificate_not_found
 */
export async function revokeCertificate(deps: Enrolling, caller: Caller, id: string): Promise<void> {
  if (!isUuid(id)) throw certificateNotFound();
  const now = deps.clock.now();
  const seq = await inTransaction(deps.database.db, async (tx) => {
    const found = await findRevocable(tx, caller.tenantId, id);
    if (found === undefined) throw certificateNotFound();
    await lockDeviceUid(tx, caller.tenantId, found.device_uid);
    const revoked = await revokeRequested(tx, caller.tenantId, id, caller.actor, now);
    await noteAll(deps, tx, caller, revoked, now);
    const result = revoked.length > 0 ? "revoked" : "unchanged";
    const certificate = { id, serialNumber: found.serial_number, fingerprintSha256: found.fingerprint_sha256 };
    await noteWrite(tx, caller, { resource: "certificate", id, result, at: now, certificate }, deps.ids);
    const seq = await enqueueDrop(tx, { certificateId: id, reason: "certificate revoked" }, now);
    await faultPoint("revoke.commit");
    return seq;
  });
  await faultPoint("revoke.committed");
  await dropped(deps, seq);
}

/** An audit entry for each of `revoked`, in the transaction that revokes them. */
export async function noteAll(
  deps: Enrolling,
  tx: Tx,
  caller: Caller,
  revoked: readonly RevokedCertificate[],
  now: Date,
): Promise<void> {
  const notes = revoked.map((certificate) => ({
    id: deps.ids.uuid(now),
    at: now,
    actor: caller.actor,
    deviceId: certificate.device_id,
    certificateId: certificate.id,
    serialNumber: certificate.serial_number,
    fingerprintSha256: certificate.fingerprint_sha256,
  }));
  await noteRevocations(tx, caller.tenantId, notes);
}

/**
 * Waits until every broker node has closed what was ordered closed. A node that cannot say so in time gets the order again
 * from the outbox; the revocation itself holds since its commit.
 */
export async function dropped(deps: Enrolling, seq: string): Promise<void> {
  const confirmed = await deps.connections.awaitDrop(seq, DROP_TIMEOUT_MS);
  if (!confirmed) deps.logger.warn({ drop: seq }, "not every broker node has confirmed a session drop yet");
}
