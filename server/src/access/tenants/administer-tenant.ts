import { plainLine } from "../../lib/text.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { AccessDeps } from "../deps.ts";
import { checkRetention } from "../manage-tenants.ts";
import { type UsageRecord, usageOf } from "../quotas/manage-quotas.ts";
import { lockTenant, readTenant, type TenantDetailRow, updateTenantRow } from "../tenant-store.ts";
import { useCase } from "../use-case.ts";

/** A tenant as its admins see it. Its slug is a topic segment and never changes. */
export interface TenantRecord {
  id: string;
  slug: string;
  name: string;
  createdAt: Date;
  telemetryRetentionDays: number;
  /** What it uses of each quota, and may. */
  quotas: UsageRecord[];
}

export interface TenantEdit {
  name?: string | undefined;
  /** One of 7, 30, 90, 180, 365, 730; for what arrives from now on. */
  telemetryRetentionDays?: number | undefined;
}

/** The caller's tenant. */
export const getTenant = useCase({ role: "admin" }, async (deps: AccessDeps, { tenantId }): Promise<TenantRecord> => {
  const row = await readTenant(deps.database.db, tenantId);
  return { ...toRecord(row), quotas: await usageOf(deps, tenantId) };
});

/** Changes what is given of the caller's tenant. @throws MusterError invalid_request */
export const updateTenant = adminUseCase(
  { role: "admin" },
  "tenant.update",
  async (deps: AccessDeps, { tenantId }, input: TenantEdit): Promise<PreparedChange<TenantRecord>> => {
    const { telemetryRetentionDays: days } = input;
    const name = input.name === undefined ? undefined : plainLine("name", input.name);
    if (days !== undefined) checkRetention(days);
    return {
      change: async (tx) => {
        const before = await lockTenant(tx, tenantId);
        const row = await updateTenantRow(tx, tenantId, {
          name: name ?? before.name,
          retentionDays: days ?? before.telemetry_retention_days,
        });
        const unchanged = row.name === before.name && row.telemetry_retention_days === before.telemetry_retention_days;
        const result = { ...toRecord(row), quotas: await usageOf(deps, tenantId, tx) };
        return { target: tenantId, before: edited(before), after: edited(row), result, unchanged };
      },
    };
  },
);

function edited({ name, telemetry_retention_days: telemetryRetentionDays }: TenantDetailRow): object {
  return { name, telemetryRetentionDays };
}

function toRecord({ id, slug, name, created_at: createdAt, telemetry_retention_days }: TenantDetailRow) {
  return { id, slug, name, createdAt, telemetryRetentionDays: telemetry_retention_days };
}
