import { isDeepStrictEqual } from "node:util";
import { boundedToGroupsOf, type Caller, useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { unassignThreshold } from "../../devices/devices.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound, preconditionFailed } from "../../lib/request-errors.ts";
import { checkExternalId, plainLine, plainText } from "../../lib/text.ts";
import type { RulesDeps } from "../deps.ts";
import {
  deleteThresholdRow,
  endUnevaluated,
  findOwner,
  findPackUsage,
  lockThreshold,
  type PackUsage,
  type RevisedThresholdRow,
  updateThresholdRow,
} from "./change-pack-store.ts";
import { checkRuleCount, type ThresholdPack, toPack } from "./packs.ts";
import { identify, type RuleChange } from "./rule-identity.ts";

/**
 * A change to a pack. Absent fields stay unchanged; `rules` replaces all rules ({@link identify} decides which keep
 * their id).
 */
export interface ThresholdChange {
  name?: string | undefined;
  description?: string | undefined;
  enabled?: boolean | undefined;
  rules?: readonly RuleChange[] | undefined;
  externalId?: string | null | undefined;
}

export interface ThresholdGuard {
  /** The revision that the change was made for; absent for any. */
  revision?: number | undefined;
  /** Checks whether the change was made for this pack; absent for any. */
  matches?: ((pack: EditedPack) => boolean) | undefined;
}

/** A pack with its revision, for editing. */
export interface EditedPack extends ThresholdPack {
  /** Increases with every change of `enabled` or `rules`. */
  revision: number;
  updatedAt: Date;
}

/** A pack and its usage. */
export interface PackInUse extends EditedPack, PackUsage {}

/**
 * Returns a pack and its usage.
 *
 * @throws MusterError not_found
 */
export const showThreshold = useCase(
  { role: "viewer" },
  async (deps: RulesDeps, caller, id: string): Promise<PackInUse> => {
    const viewer = boundedToGroupsOf(caller);
    const found = isUuid(id) ? await findPackUsage(deps.database.db, caller.tenantId, id, viewer) : undefined;
    if (!found) throw notFound("threshold pack");
    const { devices, deviceTypes, watchedDevices, unresolvedAnomalies, ...row } = found;
    return { ...toEdited(row), devices, deviceTypes, watchedDevices, unresolvedAnomalies };
  },
);

/**
 * Changes the given fields under the pack's lock, so that the second of two concurrent changes sees the first. Resolves
 * the anomalies of removed rules in the same transaction; those of the remaining rules continue.
 *
 * @throws MusterError not_found; precondition_failed if the revision differs; invalid_request with the invalid place in
 *   `detail`
 */
export const updateThreshold = useCase(
  { scope: "thresholds:write", role: "operator" },
  async (
    deps: RulesDeps,
    caller,
    id: string,
    change: ThresholdChange,
    guard: ThresholdGuard = {},
  ): Promise<EditedPack> => {
    const now = deps.clock.now();
    return await inTransaction(deps.database.db, async (tx) => {
      if (change.rules) await deps.quotas.lock(tx, caller.tenantId, "rules");
      const before = await locked(tx, caller, id, guard);
      const after = changed(before, change, now, () => deps.ids.uuid(now));
      await deps.quotas.within(tx, caller.tenantId, "rules", after.rules.length - before.rules.length);
      const result = isDeepStrictEqual({ ...after, updated_at: before.updated_at }, before) ? "unchanged" : "updated";
      const states = { before: toEdited(before), after: toPack(after) };
      await recordWrite(tx, caller, { resource: "threshold", id, result, at: now, ...states }, deps.ids);
      if (result === "unchanged") return states.before;
      const revision = await updateThresholdRow(tx, caller.tenantId, after);
      if (revision !== before.revision) {
        await endUnevaluated(tx, id, after.enabled ? "rule_changed" : "pack_disabled", now);
      }
      return toEdited({ ...after, revision });
    });
  },
);

/**
 * Deletes a pack, unassigns it from every device and type, and resolves its anomalies, which stay on the list.
 *
 * @throws MusterError not_found; precondition_failed if the revision differs
 */
export const deleteThreshold = useCase(
  { scope: "thresholds:write", role: "operator" },
  async (deps: RulesDeps, caller, id: string, guard: ThresholdGuard = {}): Promise<void> => {
    const now = deps.clock.now();
    await inTransaction(deps.database.db, async (tx) => {
      if (isUuid(id)) await unassignThreshold(tx, caller.tenantId, id);
      const before = toEdited(await locked(tx, caller, id, guard));
      await deleteThresholdRow(tx, caller.tenantId, id);
      await endUnevaluated(tx, id, "pack_deleted", now);
      const write = { resource: "threshold", id, result: "deleted", at: now, before } as const;
      await recordWrite(tx, caller, write, deps.ids);
    });
  },
);

/**
 * Returns the slug of the tenant that owns a pack, for the shell, which identifies a pack by its id alone. @throws
 * MusterError not_found
 */
export async function tenantOfThreshold({ database }: RulesDeps, id: string): Promise<string> {
  const slug = isUuid(id) ? await findOwner(database.db, id) : undefined;
  if (slug === undefined) throw notFound("threshold pack");
  return slug;
}

function changed(
  before: RevisedThresholdRow,
  change: ThresholdChange,
  now: Date,
  newId: () => string,
): RevisedThresholdRow {
  const { name = before.name, description = before.description, enabled = before.enabled, rules } = change;
  const { externalId = before.external_id } = change;
  if (rules) checkRuleCount(rules);
  return {
    ...before,
    name: plainLine("name", name),
    description: plainText("description", description),
    enabled,
    external_id: checkExternalId(externalId),
    rules: rules ? identify(before.rules, rules, newId) : before.rules,
    updated_at: now,
  };
}

async function locked(
  tx: Tx,
  { tenantId }: Caller,
  id: string,
  { revision, matches }: ThresholdGuard,
): Promise<RevisedThresholdRow> {
  const row = isUuid(id) ? await lockThreshold(tx, tenantId, id) : undefined;
  if (!row) throw notFound("threshold pack");
  if (revision !== undefined && revision !== row.revision) throw preconditionFailed("revision");
  if (matches && !matches(toEdited(row))) throw preconditionFailed();
  return row;
}

function toEdited(row: RevisedThresholdRow): EditedPack {
  return { ...toPack(row), revision: row.revision, updatedAt: row.updated_at };
}
