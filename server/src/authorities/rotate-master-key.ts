import { recordAct } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { notifyChange } from "./authority-store.ts";
import { requireMasterKey } from "./change-hierarchy.ts";
import type { AuthoritiesDeps } from "./deps.ts";
import { retireKeys } from "./derived-keys.ts";
import { type LockedHierarchy, lockHierarchy } from "./locked-hierarchy.ts";
import { masterKeyId } from "./master-keys.ts";
import { insertRetiredKeys } from "./retired-key-store.ts";
import { presentSeals, sealEverything } from "./seals.ts";

/** The outcome of a rotation. An id names a master key without revealing anything of it. */
export interface MasterKeyRotation {
  keyId: string;
  /** `null` when the database was already encrypted under this key: an earlier rotation was interrupted. */
  formerKeyId: string | null;
  /** The remaining steps for a person, as sentences. */
  remaining: string[];
}

/**
 * Re-encrypts everything under the next master key, in one transaction with the check value, so the database is under
 * one key or the other, never in between. Processes start with both keys available and use the one that the check value
 * names. A crash at any step therefore leaves a service that starts, and repeating this continues.
 *
 * @throws MusterError invalid_request when a person must provide the next key; wrong_master_key
 */
export async function rotateMasterKey(deps: AuthoritiesDeps): Promise<Omit<MasterKeyRotation, "remaining">> {
  const next = await deps.masterKeys.next();
  await faultPoint("master-key.prepared");
  const formerKeyId = await inTransaction(deps.database.db, async (tx) => {
    const hierarchy = await lockHierarchy(tx, deps, []);
    await requireMasterKey(hierarchy);
    const { masterKey, ids, now } = hierarchy;
    if (masterKey.equals(next)) return null;
    await sealEverything(hierarchy, presentSeals(masterKey), next, deps.encryptAgain);
    await insertRetiredKeys(tx, retireKeys({ masterKey, next, ids, now }));
    await recordRotation(hierarchy, next);
    await notifyChange(tx);
    await faultPoint("master-key.commit");
    return masterKeyId(masterKey);
  });
  await faultPoint("master-key.committed");
  return { keyId: masterKeyId(next), formerKeyId };
}

async function recordRotation({ tx, masterKey, ids, now }: LockedHierarchy, next: Buffer): Promise<void> {
  const before = { keyId: masterKeyId(masterKey) };
  const after = { keyId: masterKeyId(next) };
  const act = { act: "master-key.rotate", target: after.keyId, before, after };
  await recordAct(tx, { tenantId: null, actor: "system" }, act, { ids, now });
}
