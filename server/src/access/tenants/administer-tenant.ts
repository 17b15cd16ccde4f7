import { isDeepStrictEqual } from "node:util";
import { plainLine } from "../../lib/text.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { AccessDeps } from "../deps.ts";
import { factorMissing } from "../errors.ts";
import { type UsageRecord, usageOf } from "../quotas/manage-quotas.ts";
import { useCase } from "../use-case.ts";
import { hasFactor } from "../user-store.ts";
import { checkRetention } from "./manage-tenants.ts";
import { lockTenant, readTenant, type TenantDetailRow, updateTenantRow } from "./tenant-store.ts";

export type LastResort = "admins" | "none";

/** A tenant as its admins see it. Its slug is a topic segment and never changes. */
export interface TenantRecord {
  id: string;
  slug: string;
  name: string;
  createdAt: Date;
  telemetryRetentionDays: number;
  /** Whether its admins must have a second factor. */
  adminsNeedFactor: boolean;
  /** The recipients of an e-mail about a page that reached nobody: every admin, or none. */
  lastResort: LastResort;
  /** The openings of one rule on one device within an hour beyond which it pages once, as flapping; 0 for never. */
  flapsAbove: number;
  /** The minutes that the page of a silent device waits for others that share its cause; 0 for not at all. */
  causeWaitMinutes: number;
  /** Its use and limit of each quota. */
  quotas: UsageRecord[];
}

export interface TenantEdit {
  name?: string | undefined;
  /** One of 7, 30, 90, 180, 365, 730; it applies to telemetry received from now on. */
  telemetryRetentionDays?: number | undefined;
  adminsNeedFactor?: boolean | undefined;
  lastResort?: LastResort | undefined;
  /** 0 to 60. */
  flapsAbove?: number | undefined;
  /** 0 to 10. */
  causeWaitMinutes?: number | undefined;
}

/** Returns the caller's tenant. */
export const getTenant = useCase({ role: "admin" }, async (deps: AccessDeps, { tenantId }): Promise<TenantRecord> => {
  const row = await readTenant(deps.database.db, tenantId);
  return { ...toRecord(row), quotas: await usageOf(deps, tenantId) };
});

/**
 * Changes the given fields of the caller's tenant. Once admins need a second factor, the sessions of admins without one
 * end.
 *
 * @throws MusterError invalid_request, factor_missing when the calling admin has no second factor and requires one
 */
export const updateTenant = adminUseCase(
  { role: "admin" },
  "tenant.update",
  async (deps: AccessDeps, { tenantId, rights }, input: TenantEdit): Promise<PreparedChange<TenantRecord>> => {
    const { telemetryRetentionDays: days } = input;
    const name = input.name === undefined ? undefined : plainLine("name", input.name);
    if (days !== undefined) checkRetention(days);
    return {
      change: async (tx) => {
        const before = await lockTenant(tx, tenantId);
        const adminsNeedFactor = input.adminsNeedFactor ?? before.admins_need_factor;
        if (input.adminsNeedFactor && rights.kind === "user" && !(await hasFactor(tx, rights.userId)))
          throw factorMissing();
        const row = await updateTenantRow(tx, tenantId, {
          name: name ?? before.name,
          retentionDays: days ?? before.telemetry_retention_days,
          adminsNeedFactor,
          lastResort: input.lastResort ?? before.last_resort,
          flapsAbove: input.flapsAbove ?? before.flaps_above,
          causeWaitMinutes: input.causeWaitMinutes ?? before.cause_wait_minutes,
        });
        const unchanged = isDeepStrictEqual(edited(row), edited(before));
        const result = { ...toRecord(row), quotas: await usageOf(deps, tenantId, tx) };
        return { target: tenantId, before: edited(before), after: edited(row), result, unchanged };
      },
    };
  },
);

/** Returns the editable fields of a tenant. */
function edited(row: TenantDetailRow) {
  const { name, telemetry_retention_days: telemetryRetentionDays, admins_need_factor: adminsNeedFactor } = row;
  return {
    name,
    telemetryRetentionDays,
    adminsNeedFactor,
    lastResort: row.last_resort,
    flapsAbove: row.flaps_above,
    causeWaitMinutes: row.cause_wait_minutes,
  };
}

function toRecord(row: TenantDetailRow) {
  const { id, slug, created_at: createdAt } = row;
  return { id, slug, createdAt, ...edited(row) };
}
