import { isDeepStrictEqual } from "node:util";
import type { Caller } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import type { Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest, notFound, preconditionFailed } from "../lib/request-errors.ts";
import { plainLine, plainText } from "../lib/text.ts";
import {
  deleteThresholdRow,
  type EditedThresholdRow,
  findOwner,
  findReach,
  lockThreshold,
  type Reach,
  takeOffEverything,
  updateThresholdRow,
} from "./change-pack-store.ts";
import { type ThresholdPack, type ThresholdsDeps, toPack } from "./packs.ts";
import { identify, type RuleChange } from "./rule-identity.ts";

/** What is absent stays as it is; `rules` replaces all of them ({@link identify} says which stay). */
export interface ThresholdChange {
  name?: string | undefined;
  description?: string | undefined;
  enabled?: boolean | undefined;
  rules?: readonly RuleChange[] | undefined;
}

export interface ThresholdGuard {
  /** The revision that the change was made for; absent for whichever there is. */
  revision?: number | undefined;
}

/** A pack as whoever changes it sees it. */
export interface EditedPack extends ThresholdPack {
  /** Goes up with every change of what the pack judges. */
  revision: number;
  updatedAt: Date;
}

/** A pack and what hangs on it. */
export interface PackInUse extends EditedPack, Reach {}

const MAX_RULES = 50;

/** @throws MusterError not_found */
export async function showThreshold(deps: ThresholdsDeps, { tenantId }: Caller, id: string): Promise<PackInUse> {
  const found = isUuid(id) ? await findReach(deps.database.db, tenantId, id) : undefined;
  if (!found) throw notFound("threshold pack");
  const { devices, deviceTypes, unresolvedAnomalies, ...row } = found;
  return { ...toEdited(row), devices, deviceTypes, unresolvedAnomalies };
}

/**
 * Changes what is given, under the pack's lock: two changes at once follow one another, each seeing the other. The database ends what
 * the pack can judge no longer, in this transaction (migration 0009); what its remaining rules have found and wait for goes on.
 *
 * @throws MusterError not_found; precondition_failed when the pack has another revision by now; invalid_request with the place of what is
 *   wrong in `detail`
 */
export async function updateThreshold(
  deps: ThresholdsDeps,
  caller: Caller,
  id: string,
  change: ThresholdChange,
  guard: ThresholdGuard = {},
): Promise<EditedPack> {
  const now = deps.clock.now();
  return await inTransaction(deps.database.db, async (tx) => {
    const before = await locked(tx, caller, id, guard);
    const { name = before.name, description = before.description, enabled = before.enabled, rules } = change;
    if (rules && (rules.length < 1 || rules.length > MAX_RULES))
      throw invalidRequest(`A threshold pack has 1 to ${MAX_RULES} rules.`, "rules");
    const after = {
      ...before,
      name: plainLine("name", name),
      description: plainText("description", description),
      enabled,
      rules: rules ? identify(before.rules, rules, () => deps.ids.uuid(now)) : before.rules,
      updated_at: now,
    };
    const result = isDeepStrictEqual({ ...after, updated_at: before.updated_at }, before) ? "unchanged" : "updated";
    await recordWrite(tx, caller, { resource: "threshold", id, result, at: now }, deps.ids);
    if (result === "unchanged") return toEdited(before);
    return toEdited({ ...after, revision: await updateThresholdRow(tx, caller.tenantId, after) });
  });
}

/**
 * Deletes a pack: it is taken off every device and type, what it found is resolved (migration 0012) and stays on the list of anomalies.
 *
 * @throws MusterError not_found; precondition_failed when the pack has another revision by now
 */
export async function deleteThreshold(
  deps: ThresholdsDeps,
  caller: Caller,
  id: string,
  guard: ThresholdGuard = {},
): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps.database.db, async (tx) => {
    if (isUuid(id)) await takeOffEverything(tx, caller.tenantId, id);
    await locked(tx, caller, id, guard);
    await deleteThresholdRow(tx, caller.tenantId, id, now);
    await recordWrite(tx, caller, { resource: "threshold", id, result: "revoked", at: now }, deps.ids);
  });
}

/** The slug of the tenant a pack belongs to. @throws MusterError not_found */
export async function tenantOfThreshold({ database }: ThresholdsDeps, id: string): Promise<string> {
  const slug = isUuid(id) ? await findOwner(database.db, id) : undefined;
  if (slug === undefined) throw notFound("threshold pack");
  return slug;
}

async function locked(
  tx: Tx,
  { tenantId }: Caller,
  id: string,
  { revision }: ThresholdGuard,
): Promise<EditedThresholdRow> {
  const row = isUuid(id) ? await lockThreshold(tx, tenantId, id) : undefined;
  if (!row) throw notFound("threshold pack");
  if (revision !== undefined && revision !== row.revision) throw preconditionFailed("revision");
  return row;
}

function toEdited(row: EditedThresholdRow): EditedPack {
  return { ...toPack(row), revision: row.revision, updatedAt: row.updated_at };
}
