import { type Caller, useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import {
  findCertificateOfDevice,
  listSuccessors,
  revokeIssued,
  type SuccessorCertificate,
} from "../../certificates/certificates.ts";
import { certificateNotFound } from "../../certificates/errors.ts";
import { type DropNumbers, enqueueDrops } from "../../connections/connections.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { lockDeviceRecord } from "../../devices/devices.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { isUuid } from "../../lib/ids.ts";
import { confirmDrops } from "../confirm-drops.ts";
import type { EnrollmentDeps } from "../deps.ts";

export interface RevocationOptions {
  /** Also revokes the certificates that replaced it through renewals. */
  chain?: boolean | undefined;
}

export interface RevokedCertificate {
  /** The certificates that this call revoked; empty if all were revoked before. */
  revoked: string[];
  /** The valid certificate that replaced this one through renewals, unless it is among the revoked. */
  liveSuccessor: SuccessorCertificate | undefined;
}

/**
 * Revokes one certificate, then closes its sessions before it returns (spec 3.2, 4.8). Idempotent: a certificate that
 * is already revoked, for example by renewal, keeps its reason, and its remaining sessions are closed.
 *
 * @throws MusterError certificate_not_found
 */
export const revokeCertificate = useCase(
  { scope: "device-certificates:revoke", role: "admin" },
  async (
    deps: EnrollmentDeps,
    caller,
    id: string,
    { chain = false }: RevocationOptions = {},
  ): Promise<RevokedCertificate> => {
    if (!isUuid(id)) throw certificateNotFound();
    const { drops, ...outcome } = await inTransaction(deps.database.db, (tx) =>
      revoke(tx, deps, caller, { id, chain }),
    );
    await faultPoint("revoke.committed");
    await confirmDrops(deps, drops);
    return outcome;
  },
);

async function revoke(
  tx: Tx,
  { ids, clock }: EnrollmentDeps,
  caller: Caller,
  { id, chain }: { id: string; chain: boolean },
): Promise<RevokedCertificate & { drops: DropNumbers }> {
  const now = clock.now();
  const found = await findCertificateOfDevice(tx, caller.tenantId, id);
  if (found === undefined) throw certificateNotFound();
  const { deviceUid, ...identity } = found;
  // Renewals take this lock too, so the chain of successors cannot grow before the commit.
  await lockDeviceRecord(tx, caller.tenantId, deviceUid);
  const targets = [id];
  const revoked = (await revokeIssued(tx, caller, id, { ids, now })) ? [id] : [];
  // Only a certificate that was revoked before can have a successor.
  const successors = revoked.length === 0 ? await listSuccessors(tx, caller.tenantId, id) : [];
  const live = successors.find(({ expiresAt, isRevoked }) => !isRevoked && expiresAt > now);
  if (chain && live) {
    targets.push(live.id);
    if (await revokeIssued(tx, caller, live.id, { ids, now })) revoked.push(live.id);
  }
  const result = revoked.length > 0 ? "revoked" : "unchanged";
  const certificate = { id, ...identity };
  const after = { ...certificate, revoked };
  await recordWrite(tx, caller, { resource: "certificate", id, result, at: now, certificate, after }, ids);
  const drops = await enqueueDrops(tx, { certificateIds: targets, reason: "certificate revoked" }, now);
  await faultPoint("revoke.commit");
  return { revoked, liveSuccessor: chain ? undefined : live, drops };
}
