import type { Db, Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { QuotaName } from "../../lib/limits/limits.ts";
import { createAllowances, type FrequentQuota } from "./allowances.ts";
import type { QuotaDeps } from "./quota-deps.ts";
import { lockQuota, readUse } from "./quota-store.ts";
import { createRefusals } from "./refusals.ts";
import { endRound, isRoundOver } from "./round-store.ts";

/** The quotas of tenants, decided in the database and exact across all processes (docs/decisions/0012-quotas.md). */
export interface Quotas {
  /**
   * Requires room for `adding` more, in the transaction that adds them. Other additions to this quota of the tenant
   * wait until it ends. Call it before the transaction takes any other lock.
   *
   * @throws MusterError quota_exceeded
   */
  within(tx: Tx, tenantId: string, quota: Exclude<QuotaName, FrequentQuota>, adding: number): Promise<void>;
  /** Locks the quota early, where {@link Quotas.within} can only be called after another lock. */
  lock(tx: Tx, tenantId: string, quota: QuotaName): Promise<void>;
  /** Requires room for one more now, before work that would be wasted without it. @throws MusterError quota_exceeded */
  requireRoom(tenantId: string, quota: FrequentQuota): Promise<void>;
  /** Returns whether there is room for many, so that an addition is not counted; it may still be refused. */
  hasAllowance(tenantId: string, quota: FrequentQuota): Promise<boolean>;
  /**
   * Runs `add` for one addition of a frequent kind: such additions run in parallel, and few of them count. The
   * statement that adds must evaluate `spendAllowance(…, round)`. `db` is the pool or a transaction; `add` may run more
   * than once.
   *
   * @throws MusterError quota_exceeded
   */
  addOne<T>(tenantId: string, quota: FrequentQuota, add: (db: Db, round: string | null) => Promise<T>): Promise<T>;
  /** Counts a refusal that a feature decided itself. */
  refused(tenantId: string, quota: QuotaName): void;
}

/** The number of void allowances after which the addition is counted. */
const ATTEMPTS = 3;

export function createQuotas(deps: QuotaDeps): Quotas {
  const allowances = createAllowances(deps);
  const refusals = createRefusals(deps);

  async function requireCounted(tx: Tx, tenantId: string, quota: QuotaName, adding: number): Promise<void> {
    await lockQuota(tx, tenantId, quota);
    const use = await readUse(tx, quota, { tenantId, usual: deps.limits[quota], now: deps.clock.now() });
    if (use.used + adding > use.value) throw refusals.exceeded(tenantId, quota, use, adding);
  }

  async function permitted(tenantId: string, quota: FrequentQuota, spend: 0 | 1): Promise<string | undefined> {
    const permission = await allowances.next(tenantId, quota, spend);
    if ("round" in permission) return permission.round;
    if (permission.full) throw refusals.exceeded(tenantId, quota, permission.full, 1);
    return undefined;
  }

  return {
    async within(tx, tenantId, quota, adding) {
      if (adding > 0) await requireCounted(tx, tenantId, quota, adding);
    },
    lock: lockQuota,
    async requireRoom(tenantId, quota) {
      await permitted(tenantId, quota, 0);
    },
    async hasAllowance(tenantId, quota) {
      return "round" in (await allowances.next(tenantId, quota, 0));
    },
    async addOne(tenantId, quota, add) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const round = await permitted(tenantId, quota, 1);
        if (round === undefined) break;
        try {
          return await add(deps.database.db, round);
        } catch (error) {
          if (!isRoundOver(error)) throw error;
          allowances.drop(tenantId, quota, round);
        }
      }
      return await inTransaction(deps.database.db, async (tx) => {
        await requireCounted(tx, tenantId, quota, 1);
        await endRound(tx, tenantId, quota);
        return await add(tx, null);
      });
    },
    refused: (tenantId, quota) => refusals.count(tenantId, quota),
  };
}
