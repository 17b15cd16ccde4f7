import { type NamedRecord, useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type ClaimRecord, toClaimRecord } from "./claim-record.ts";
import { type ClaimStatus, findClaim, findClaimNames, listClaimRows, revokeClaimRow } from "./claim-store.ts";

export interface ClaimQuery extends PageRequest {
  status?: ClaimStatus | undefined;
}

/** Lists claims, newest first (spec 4.4). */
export const listClaims = useCase(
  { scope: "provisioning:read", role: "admin" },
  async (deps: EnrollmentDeps, caller, query: ClaimQuery): Promise<Page<ClaimRecord>> => {
    const now = deps.clock.now();
    const [page, { status }] = splitPage(query);
    const { rows, total } = await listClaimRows(deps.database.db, caller.tenantId, status, page);
    return { items: rows.map((row) => toClaimRecord(row, now)), total, skip: page.skip, limit: page.limit };
  },
);

/** @throws MusterError not_found */
export const getClaim = useCase(
  { scope: "provisioning:read", role: "admin" },
  async (deps: EnrollmentDeps, caller, id: string): Promise<ClaimRecord> => {
    const row = isUuid(id) ? await findClaim(deps.database.db, caller.tenantId, id) : undefined;
    if (row === undefined) throw notFound("claim");
    return toClaimRecord(row, deps.clock.now());
  },
);

/** Returns the intended names of those `ids` that are claims of the tenant. */
export const nameClaims = useCase(
  { role: "admin" },
  (deps: EnrollmentDeps, caller, ids: readonly string[]): Promise<NamedRecord[]> =>
    findClaimNames(deps.database.db, caller.tenantId, ids.filter(isUuid)),
);

/**
 * Revokes a claim. Idempotent; a claim without remaining uses stays `used`.
 *
 * @throws MusterError not_found
 */
export const revokeClaim = useCase(
  { scope: "provisioning:write", role: "admin" },
  async (deps: EnrollmentDeps, caller, id: string): Promise<void> => {
    const now = deps.clock.now();
    if (!isUuid(id)) throw notFound("claim");
    deps.knownClaims.forget(id);
    await inTransaction(deps.database.db, async (tx) => {
      const result = await revokeClaimRow(tx, caller.tenantId, id, caller.actor, now);
      if (!result) throw notFound("claim");
      const states = { before: { status: "pending" }, after: { status: "revoked" } };
      await recordWrite(tx, caller, { resource: "claim", id, result, at: now, ...states }, deps.ids);
    });
  },
);
