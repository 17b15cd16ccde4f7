import type { Db, Tx } from "../../db/database.ts";
import { LIMITS, QUOTA_NAMES, type QuotaName } from "../../lib/limits/limits.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import { lockQuota, ownValues, readUse, setValue } from "./quota-store.ts";
import { endRound } from "./round-store.ts";

const MOST = 1_000_000_000;

/** A tenant's use of a quota. */
export interface UsageRecord {
  quota: QuotaName;
  /** The counted records, in words. */
  of: string;
  used: number;
  limit: number;
  /** Whether the limit is the tenant's own rather than the service's default. */
  own: boolean;
}

/**
 * Sets the tenant's own value of a quota; `undefined` restores the service's default. A value below the current use
 * deletes nothing but refuses additions.
 *
 * @throws MusterError invalid_request
 */
export const setQuota = adminUseCase(
  {},
  "tenant.quota",
  async (
    deps: AccessDeps,
    { tenantId },
    quota: string,
    value: number | undefined,
  ): Promise<PreparedChange<UsageRecord>> => {
    if (!isQuota(quota)) throw invalidRequest(`Unknown quota ${quota}. Quotas: ${QUOTA_NAMES.join(", ")}.`, quota);
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= MOST))
      throw invalidRequest(`A quota is a whole number from 0 to ${MOST}.`, String(value));
    const change = async (tx: Tx) => {
      await lockQuota(tx, tenantId, quota);
      const before = (await ownValues(tx, tenantId)).get(quota) ?? "default";
      await setValue(tx, tenantId, quota, value);
      await endRound(tx, tenantId, quota);
      const counted = { tenantId, usual: deps.limits[quota], now: deps.clock.now() };
      const result = recordOf(quota, await readUse(tx, quota, counted), value !== undefined);
      return { target: quota, before: { value: before }, after: { value: value ?? "default" }, result };
    };
    return { change };
  },
);

/** Returns the caller's tenant's use of each quota. */
export const tenantUsage = useCase(
  { role: "admin" },
  (deps: AccessDeps, { tenantId }): Promise<UsageRecord[]> => usageOf(deps, tenantId),
);

/** Returns a tenant's use of each quota. */
export async function usageOf(
  { database, clock, limits }: AccessDeps,
  tenantId: string,
  db: Db = database.db,
): Promise<UsageRecord[]> {
  const own = await ownValues(db, tenantId);
  const now = clock.now();
  const records: UsageRecord[] = [];
  for (const quota of QUOTA_NAMES) {
    const use = await readUse(db, quota, { tenantId, usual: limits[quota], now });
    records.push(recordOf(quota, use, own.has(quota)));
  }
  return records;
}

function recordOf(quota: QuotaName, { used, value }: { used: number; value: number }, own: boolean): UsageRecord {
  return { quota, of: LIMITS[quota].of, used, limit: value, own };
}

function isQuota(name: string): name is QuotaName {
  return (QUOTA_NAMES as readonly string[]).includes(name);
}
