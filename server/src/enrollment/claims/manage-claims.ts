import { useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import type { Enrolling } from "../deps.ts";
import { refusal } from "../errors.ts";
import { type ClaimRecord, claimRecord } from "./claim-record.ts";
import { type ClaimStatus, findClaim, listClaimRows, revokeClaimRow } from "./claim-store.ts";

export interface ClaimQuery extends PageRequest {
  status?: ClaimStatus | undefined;
}

/** Newest first (spec 4.4). */
export const listClaims = useCase(
  { scope: "provisioning:read", role: "admin" },
  async (deps: Enrolling, caller, query: ClaimQuery): Promise<Page<ClaimRecord>> => {
    const now = deps.clock.now();
    const { status, skip, limit } = query;
    const { rows, total } = await listClaimRows(deps.database.db, caller.tenantId, status, { skip, limit });
    return { items: rows.map((row) => claimRecord(row, now)), total, skip, limit };
  },
);

/** @throws MusterError not_found */
export const getClaim = useCase(
  { scope: "provisioning:read", role: "admin" },
  async (deps: Enrolling, caller, id: string): Promise<ClaimRecord> => {
    const row = isUuid(id) ? await findClaim(deps.database.db, caller.tenantId, id) : undefined;
    if (row === undefined) throw noSuchClaim();
    return claimRecord(row, deps.clock.now());
  },
);

/**
 * No further redemption. May be repeated; a claim whose uses are spent stays `used`.
 *
 * @throws MusterError not_found
 */
export const revokeClaim = useCase(
  { scope: "provisioning:write", role: "admin" },
  async (deps: Enrolling, caller, id: string): Promise<void> => {
    const now = deps.clock.now();
    if (!isUuid(id)) throw noSuchClaim();
    await inTransaction(deps.database.db, async (tx) => {
      const result = await revokeClaimRow(tx, caller.tenantId, id, caller.actor, now);
      if (!result) throw noSuchClaim();
      await recordWrite(tx, caller, { resource: "claim", id, result, at: now }, deps.ids);
    });
  },
);

function noSuchClaim() {
  return refusal("not_found", { message: "There is no such claim." });
}
