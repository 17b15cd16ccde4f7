import { administer, recordAct } from "../../audit/audit.ts";
import {
  blockKey as blockKeyRow,
  findKeyOfCertificate,
  listDevicesWithKey,
  type RevokedRow,
  revokeIssuedWithKey,
} from "../../certificates/certificates.ts";
import { certificateNotFound } from "../../certificates/errors.ts";
import { type DropNumbers, enqueueDrops } from "../../connections/connections.ts";
import type { Tx } from "../../db/database.ts";
import { lockDeviceRecords } from "../../devices/devices.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { confirmDrops } from "../confirm-drops.ts";
import type { EnrollmentDeps } from "../deps.ts";

/** The key to block: the SHA-256 of its SPKI in hex, or a certificate that has it. */
export interface KeyToBlock {
  spkiSha256?: string | undefined;
  certificateId?: string | undefined;
}

export interface BlockedKey {
  spkiSha256: string;
  /** The certificates that this call revoked, of every tenant. */
  revoked: { tenantId: string; deviceId: string; certificateId: string }[];
}

const ATTEMPTS = 5;
const SHELL = { tenantId: null, actor: "system" } as const;

/**
 * Blocks a compromised device key in every tenant: enrollment and renewal refuse it (`invalid_csr`), its valid
 * certificates are revoked, and their sessions are closed before this returns. For the shell, since no tenant may act
 * on the devices of others. Idempotent.
 *
 * @throws MusterError invalid_request, certificate_not_found
 */
export async function blockKey(deps: EnrollmentDeps, key: KeyToBlock): Promise<BlockedKey> {
  const spki = await spkiOf(deps, key);
  for (let attempt = 1; ; attempt++) {
    try {
      const { drops, ...blocked } = await block(deps, spki);
      await faultPoint("block.committed");
      await confirmDrops(deps, drops);
      return blocked;
    } catch (error) {
      if (!(error instanceof DeviceAppeared) || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Signals that the key was certified for another device after its devices were locked: the caller starts over and locks
 * that one too.
 */
class DeviceAppeared extends Error {}

async function block(deps: EnrollmentDeps, spki: Buffer): Promise<BlockedKey & { drops: DropNumbers }> {
  const { ids, clock } = deps;
  const spkiSha256 = spki.toString("hex");
  return await administer(deps, SHELL, "key.block", async (tx) => {
    const now = clock.now();
    // Devices are locked before certificates, in one order everywhere, so that no two transactions deadlock.
    const locked = new Set(await lockDeviceRecords(tx, await listDevicesWithKey(tx, spki)));
    const isNew = await blockKeyRow(tx, spki, now);
    const rows = await revokeIssuedWithKey(tx, spki, SHELL.actor, { ids, now });
    if (rows.some(({ device_uid: uid }) => !locked.has(uid))) throw new DeviceAppeared();
    await recordByTenant(tx, deps, spkiSha256, rows);
    const certificateIds = rows.map(({ id }) => id);
    const drops = await enqueueDrops(tx, { certificateIds, reason: "key blocked" }, now);
    await faultPoint("block.commit");
    const revoked = rows.map((row) => ({ tenantId: row.tenant_id, deviceId: row.device_id, certificateId: row.id }));
    const unchanged = !isNew && revoked.length === 0;
    return {
      target: spkiSha256,
      after: { revokedCertificates: revoked.length },
      result: { spkiSha256, revoked, drops },
      unchanged,
    };
  });
}

/** Records in each tenant's audit why its certificates were revoked. */
async function recordByTenant(
  tx: Tx,
  { ids, clock }: EnrollmentDeps,
  target: string,
  rows: readonly RevokedRow[],
): Promise<void> {
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenant_id)) {
    const revokedCertificates = own.map(({ id, device_id: deviceId }) => ({ id, deviceId }));
    const act = { act: "key.block", target, after: { revokedCertificates } };
    await recordAct(tx, { ...SHELL, tenantId }, act, { ids, now: clock.now() });
  }
}

async function spkiOf({ database }: EnrollmentDeps, { spkiSha256, certificateId }: KeyToBlock): Promise<Buffer> {
  if ((spkiSha256 === undefined) === (certificateId === undefined))
    throw invalidRequest("Give either the SHA-256 of the key's SPKI or a certificate that has the key.");
  if (certificateId !== undefined) {
    const spki = isUuid(certificateId) ? await findKeyOfCertificate(database.db, certificateId) : undefined;
    if (spki === undefined) throw certificateNotFound();
    return spki;
  }
  const hex = spkiSha256!.trim().replaceAll(":", "");
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw invalidRequest("The SHA-256 of a key's SPKI is 64 hexadecimal digits.", spkiSha256);
  return Buffer.from(hex, "hex");
}
