import { adminUseCase, type PreparedChange } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import {
  checkOverrideTimes,
  dutiesChanged,
  lockDuties,
  lockOverride,
  onDutyBetween,
  requireFree,
  requireRoom,
} from "./group-duties.ts";
import type { OverrideRecord } from "./override-record.ts";
import { activeUsers, deleteOverrideRow, insertOverride } from "./override-store.ts";
import { tellDuty } from "./tell-duty.ts";

const MAY = { scope: "shifts:write", role: "admin" } as const;

export interface NewOverride {
  userId: string;
  /** Everybody on duty by default. */
  replacesUserId?: string | null | undefined;
  /** Now by default. */
  startsAt?: Date | null | undefined;
  endsAt: Date;
}

/**
 * Gives a user the duty of another in a group, or of everybody, for a time. Both are told.
 *
 * @throws MusterError not_found (the group); invalid_request with an unknown user's id in `detail`; already_exists with
 *   the id of an override that overlaps
 */
export const createOverride = adminUseCase(
  MAY,
  "duty-override.create",
  async (
    deps: NotificationsDeps,
    caller,
    groupId: string,
    input: NewOverride,
  ): Promise<PreparedChange<OverrideRecord>> => {
    const { tenantId, actor: createdBy } = caller;
    const now = deps.clock.now();
    const { userId, replacesUserId = null, endsAt } = input;
    const startsAt = input.startsAt ?? now;
    checkOverrideTimes(startsAt, endsAt, now);
    if (userId === replacesUserId) throw invalidRequest("A user cannot replace themselves.", userId);
    const times = { startsAt, endsAt, createdAt: now };
    const result: OverrideRecord = {
      ...{ id: deps.ids.uuid(now), groupId, userId, replacesUserId, ...times, state: "agreed", createdBy },
    };
    return {
      change: async (tx) => {
        const group = await lockDuties(tx, tenantId, groupId);
        const named = replacesUserId === null ? [userId] : [userId, replacesUserId];
        const known = await activeUsers(tx, tenantId, named.filter(isUuid));
        const unknown = named.find((id) => !known.has(id));
        if (unknown !== undefined) throw invalidRequest("There is no such user.", unknown);
        await requireRoom(tx, groupId);
        await requireFree(tx, result);
        await insertOverride(tx, tenantId, result);
        await dutiesChanged(tx, group, result, now);
        const replaced = replacesUserId === null ? onDutyBetween(group, startsAt, endsAt) : [replacesUserId];
        const to = [userId, ...replaced];
        await tellDuty(deps, tx, { tenantId, change: "taken", group, duty: result, to }, now);
        return { target: result.id, after: result, result };
      },
    };
  },
);

/** Ends an override or offer: the usual people are on duty again, and are told. @throws MusterError not_found */
export const deleteOverride = adminUseCase(
  MAY,
  "duty-override.delete",
  async (deps: NotificationsDeps, { tenantId }, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const now = deps.clock.now();
      const { override } = await lockOverride(tx, tenantId, id);
      await deleteOverrideRow(tx, id);
      const group = await lockDuties(tx, tenantId, override.groupId);
      if (override.state === "agreed" && override.endsAt > now) {
        await dutiesChanged(tx, group, override, now);
        const { userId, replacesUserId, startsAt, endsAt } = override;
        const again = replacesUserId === null ? onDutyBetween(group, startsAt, endsAt) : [replacesUserId];
        await tellDuty(deps, tx, { tenantId, change: "ended", group, duty: override, to: [userId!, ...again] }, now);
      }
      return { target: id, before: override, result: undefined };
    },
  }),
);
