import { useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { hasDeviceType } from "../../devices/devices.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { plainLine } from "../../lib/text.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { refusal, unknownDeviceType } from "../errors.ts";
import { CLAIM_USES, INTENDED_NAME_LENGTH, MAX_INTENDED_GROUPS } from "../limits.ts";
import { type ClaimRecord, toClaimRecord } from "./claim-record.ts";
import { findClaim, findGroupIds, insertClaim } from "./claim-store.ts";
import { claimMinutes, drawClaim, limited } from "./draw-claim.ts";
import { checkNameTemplate, prepareNumbers } from "./name-template.ts";

/** The input for a claim (spec 2.1). */
export interface NewClaim {
  intendedName: string;
  intendedGroupIds?: readonly string[] | undefined;
  intendedDeviceTypeId?: string | undefined;
  expiresInMinutes?: number | undefined;
  maxUses?: number | undefined;
}

/**
 * Creates a claim. Only this response contains its code (spec 4.3).
 *
 * @throws MusterError invalid_request (an unknown group's or type's id in `detail`), invalid_claim_request,
 * quota_exceeded
 */
export const createClaim = useCase(
  { scope: "provisioning:write", role: "admin" },
  async (deps: EnrollmentDeps, caller, input: NewClaim): Promise<ClaimRecord & { claimCode: string }> => {
    const name = plainLine("intendedName", input.intendedName, INTENDED_NAME_LENGTH);
    checkNameTemplate(name);
    const minutes = claimMinutes(input.expiresInMinutes);
    const uses = limited("maxUses", input.maxUses, CLAIM_USES);
    const groupIds = [...new Set(input.intendedGroupIds)];
    await requireGroupsAndType(deps, caller.tenantId, groupIds, input.intendedDeviceTypeId);

    const now = deps.clock.now();
    const { claimCode, row } = drawClaim(deps, caller.actor, now, {
      intended_name: name,
      intended_group_ids: groupIds.length === 0 ? null : groupIds,
      intended_device_type_id: input.intendedDeviceTypeId ?? null,
      device_uid: null,
      max_uses: uses,
      expires_at: addMs(now, minutes * MINUTE),
    });
    const { id } = row;
    const add = async (tx: Tx, round: string | null) => {
      await prepareNumbers(tx, caller.tenantId, name);
      await insertClaim(tx, caller.tenantId, row, round);
      const record = toClaimRecord((await findClaim(tx, caller.tenantId, id))!, now);
      await recordWrite(tx, caller, { resource: "claim", id, result: "created", at: now, after: record }, deps.ids);
      return { ...record, claimCode };
    };
    const made = await deps.quotas.addOne(caller.tenantId, "openClaims", (db, round) =>
      inTransaction(db, (tx) => add(tx, round)),
    );
    deps.knownClaims.remember(row.code_hmac, { id, tenantId: caller.tenantId, expiresAt: row.expires_at });
    return made;
  },
);

/**
 * Requires known ids; those of another tenant count as unknown (docs/api-conventions.md).
 *
 * @throws MusterError invalid_request
 */
async function requireGroupsAndType(
  deps: EnrollmentDeps,
  tenantId: string,
  groupIds: readonly string[],
  typeId: string | undefined,
): Promise<void> {
  if (groupIds.length > MAX_INTENDED_GROUPS)
    throw refusal("invalid_request", {
      message: `A claim names at most ${MAX_INTENDED_GROUPS} groups.`,
      detail: "intendedGroupIds",
    });
  const known = await findGroupIds(deps.database.db, tenantId, groupIds.filter(isUuid));
  const unknown = groupIds.find((id) => !known.has(id));
  if (unknown !== undefined) throw refusal("invalid_request", { message: "There is no such group.", detail: unknown });
  if (typeId === undefined || (isUuid(typeId) && (await hasDeviceType(deps.database.db, tenantId, typeId)))) return;
  throw unknownDeviceType(typeId);
}
