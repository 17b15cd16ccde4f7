import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { refusalCode } from "../../db/refusal.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { QuotaName } from "../../lib/limits/limits.ts";
import { quotaValue } from "./counts-store.ts";

/** Additions that one process may make in a round. */
export interface Allowance {
  round: string;
  size: number;
}

interface Asked {
  tenantId: string;
  quota: QuotaName;
  usual: number;
  most: number;
}

/** Takes an eighth of the round's remainder, so that several processes can share it. */
const take = statement<Asked, Allowance>(
  "take-allowance",
  (p) => sql`
    WITH current AS (
      SELECT r.round, least(${p.most}::int, (r.unallotted + 7) / 8) AS size FROM quota_rounds r
       WHERE r.tenant_id = ${p.tenantId}::uuid AND r.quota = ${p.quota}::text AND r.unallotted > 0
         AND r.value = ${quotaValue(sql`${p.quota}::text`, sql`${p.tenantId}::uuid`, p.usual)}
         FOR NO KEY UPDATE)
    UPDATE quota_rounds r SET unallotted = r.unallotted - c.size FROM current c
     WHERE r.tenant_id = ${p.tenantId}::uuid AND r.quota = ${p.quota}::text
    RETURNING r.round, c.size`,
);

/**
 * Takes an allowance of the current round; `undefined` when none is left, or the round was counted for another value of
 * the quota.
 */
export async function takeAllowance(db: Db, asked: Asked): Promise<Allowance | undefined> {
  const [allowance] = await runStatement(db, take, asked);
  return allowance;
}

/** Begins a round, which voids the allowances of the previous one. Requires the quota's lock. */
export async function beginRound(
  tx: Tx,
  {
    tenantId,
    quota,
    ...round
  }: { tenantId: string; quota: QuotaName; round: string; value: number; unallotted: number },
): Promise<void> {
  await tx
    .insertInto("quota_rounds")
    .values({ tenant_id: tenantId, quota, ...round })
    .onConflict((conflict) => conflict.columns(["tenant_id", "quota"]).doUpdateSet(round))
    .execute();
}

/** Voids all allowances of a tenant's quota. Requires the quota's lock. */
export async function endRound(tx: Tx, tenantId: string, quota: QuotaName): Promise<void> {
  await tx.deleteFrom("quota_rounds").where("tenant_id", "=", tenantId).where("quota", "=", quota).execute();
}

/**
 * Returns SQL for the statement that adds: true while `round` is current; otherwise it aborts the statement, see {@link
 * isRoundOver}. It takes the quota's shared lock. A null round is for a transaction that has counted under the lock.
 */
export function spendAllowance(
  tenant: RawBuilder<unknown>,
  quota: QuotaName,
  round: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql`spend_allowance(${tenant}::uuid, ${sql.lit(quota)}, ${round}::uuid)`;
}

/** Returns whether `error` is the refusal of {@link spendAllowance}. */
export function isRoundOver(error: unknown): boolean {
  return refusalCode(error) === "quota_round_over";
}
