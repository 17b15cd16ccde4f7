import { inTransaction } from "../../db/transaction.ts";
import type { QuotaName } from "../../lib/limits/limits.ts";
import { countList } from "../../lists/list-total.ts";
import type { QuotaDeps } from "./quota-deps.ts";
import { lockQuota, type QuotaUse, readUse } from "./quota-store.ts";
import { type Allowance, beginRound, endRound, takeAllowance } from "./round-store.ts";

/** The quotas whose additions are so frequent that one count makes room for many. */
export type FrequentQuota = Extract<QuotaName, "devices" | "openClaims">;

/** With less room than this, each addition is counted. */
const LEAST_ROOM = 64;
/** The most additions in one allowance. The unspent part of a process that stops is lost until the next round. */
const MOST = 1_024;

/**
 * Either a round that allows the addition, or the demand to count each addition; `full` is set when there is no room
 * now.
 */
export type Permission = { round: string } | { full: QuotaUse | undefined };

export interface Allowances {
  /** @param spend 0 only checks */
  next(tenantId: string, quota: FrequentQuota, spend: 0 | 1): Promise<Permission>;
  /** Discards the allowance of a round that is over. */
  drop(tenantId: string, quota: FrequentQuota, round: string): void;
}

/**
 * Creates the allowances of this process. Requests that need the same allowance share one statement, so a tenant at its
 * quota occupies at most one connection.
 */
export function createAllowances(deps: QuotaDeps): Allowances {
  const current = new Map<string, Allowance>();
  const refills = new Map<string, Promise<Permission>>();

  async function refill(key: string, tenantId: string, quota: FrequentQuota): Promise<Permission> {
    try {
      const obtained = await obtain(deps, tenantId, quota);
      if ("round" in obtained) current.set(key, obtained);
      return obtained;
    } finally {
      refills.delete(key);
    }
  }

  return {
    async next(tenantId, quota, spend) {
      const key = `${quota} ${tenantId}`;
      for (;;) {
        const allowance = current.get(key);
        if (allowance) {
          allowance.size -= spend;
          if (allowance.size === 0) current.delete(key);
          return { round: allowance.round };
        }
        const running = refills.get(key) ?? refill(key, tenantId, quota);
        refills.set(key, running);
        const obtained = await running;
        if (!("round" in obtained)) return obtained;
      }
    },
    drop(tenantId, quota, round) {
      const key = `${quota} ${tenantId}`;
      if (current.get(key)?.round === round) current.delete(key);
    },
  };
}

/** Takes an allowance of the current round, or counts and begins the next round. */
async function obtain(
  deps: QuotaDeps,
  tenantId: string,
  quota: FrequentQuota,
): Promise<Allowance | { full: QuotaUse | undefined }> {
  const { db } = deps.database;
  const asked = { tenantId, quota, usual: deps.limits[quota], most: MOST };
  const taken = await takeAllowance(db, asked);
  if (taken) return taken;
  // Maintains the list first, so that the count below is short.
  if (quota === "devices") await countList(db, tenantId, quota);
  return await inTransaction(db, async (tx) => {
    await lockQuota(tx, tenantId, quota);
    const another = await takeAllowance(tx, asked);
    if (another) return another;
    const now = deps.clock.now();
    const use = await readUse(tx, quota, { tenantId, usual: asked.usual, now });
    const room = use.value - use.used;
    if (room < LEAST_ROOM) {
      await endRound(tx, tenantId, quota);
      return { full: room > 0 ? undefined : use };
    }
    const size = Math.min(MOST, Math.ceil(room / 8));
    const round = deps.ids.uuid(now);
    await beginRound(tx, { tenantId, quota, round, value: use.value, unallotted: room - size });
    return { round, size };
  });
}
