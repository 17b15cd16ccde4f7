import { adminUseCase, boundedToGroupsOf, type Caller, ownUserOf, type PreparedChange } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { LIMITS } from "../../lib/limits/limits.ts";
import { invalidRequest, notFound, preconditionFailed, rateLimited } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import {
  checkOverrideTimes,
  colleaguesOf,
  dutiesChanged,
  lockDuties,
  lockOverride,
  onDutyBetween,
  requireFree,
  requireRoom,
} from "./group-duties.ts";
import type { OverrideRecord } from "./override-record.ts";
import { agreeTo, countOffers, insertOverride, withdraw } from "./override-store.ts";
import { tellDuty } from "./tell-duty.ts";

const MAY = { role: "viewer" } as const;

export interface NewOffer {
  /** The colleague who is asked; everyone of the group by default. */
  userId?: string | null | undefined;
  startsAt: Date;
  endsAt: Date;
}

/**
 * Offers the caller's own duty in a group for a time. It stays the caller's until somebody agrees.
 *
 * @throws MusterError not_found (the group, also if the caller is not of it); invalid_request; rate_limited;
 *   already_exists with the id of an override that overlaps
 */
export const offerDuty = adminUseCase(
  MAY,
  "duty-override.offer",
  async (
    deps: NotificationsDeps,
    caller,
    groupId: string,
    input: NewOffer,
  ): Promise<PreparedChange<OverrideRecord>> => {
    const { tenantId, actor: createdBy } = caller;
    const me = ownUserOf(caller);
    const now = deps.clock.now();
    const { userId = null, startsAt, endsAt } = input;
    checkOverrideTimes(startsAt, endsAt, now);
    const times = { startsAt, endsAt, createdAt: now };
    const result: OverrideRecord = {
      ...{ id: deps.ids.uuid(now), groupId, userId, replacesUserId: me, ...times, state: "offered", createdBy },
    };
    return {
      change: async (tx) => {
        const group = await lockDuties(tx, tenantId, groupId);
        const asked = colleaguesOf(group);
        if (!asked.delete(me)) throw notFound("group");
        if (userId !== null && !asked.has(userId)) throw invalidRequest("There is no such user in the group.", userId);
        if (!onDutyBetween(group, startsAt, endsAt).includes(me))
          throw invalidRequest("You are not on duty in this time.", "startsAt");
        await requireOfferRoom(tx, me, now);
        await requireRoom(tx, groupId);
        await requireFree(tx, result);
        await insertOverride(tx, tenantId, result);
        const to = userId === null ? [...asked] : [userId];
        await tellDuty(deps, tx, { tenantId, change: "offered", group, duty: result, to }, now);
        return { target: result.id, after: result, result };
      },
    };
  },
);

/** @throws MusterError rate_limited */
async function requireOfferRoom(tx: Tx, userId: string, now: Date): Promise<void> {
  if ((await countOffers(tx, userId, addMs(now, -DAY))) >= LIMITS.offersOfUserPerDay.value)
    throw rateLimited("You have offered many duties today. Try again tomorrow.", DAY / 1_000);
}

/**
 * Takes an offered duty; the first to agree has it. Both are told.
 *
 * @throws MusterError not_found; precondition_failed if it is taken; invalid_request; already_exists
 */
export const agreeToOffer = adminUseCase(
  MAY,
  "duty-override.agree",
  async (deps: NotificationsDeps, caller, id: string): Promise<PreparedChange<OverrideRecord>> => {
    const { tenantId } = caller;
    return {
      change: async (tx) => {
        const now = deps.clock.now();
        const { me, override, group } = await offerOf(tx, caller, id);
        if (override.userId !== null && override.userId !== me) throw notFound("override");
        if (override.replacesUserId === me) throw invalidRequest("You cannot take your own duty.", id);
        if (override.endsAt <= now) throw invalidRequest("The time of this offer is over.", id);
        await requireFree(tx, override);
        await agreeTo(tx, id, me, now);
        const result: OverrideRecord = { ...override, userId: me, state: "agreed" };
        await dutiesChanged(tx, group, result, now);
        const to = [me, result.replacesUserId!];
        await tellDuty(deps, tx, { tenantId, change: "taken", group, duty: result, to }, now);
        return { target: id, before: override, after: result, result };
      },
    };
  },
);

/**
 * Withdraws the caller's own offer, or declines one to the caller, of which its user is told. An admin of the group may
 * end any offer.
 *
 * @throws MusterError not_found; precondition_failed if it is taken
 */
export const withdrawOffer = adminUseCase(
  MAY,
  "duty-override.withdraw",
  async (deps: NotificationsDeps, caller, id: string): Promise<PreparedChange<void>> => {
    const { tenantId } = caller;
    return {
      change: async (tx) => {
        const { me, override, group } = await offerOf(tx, caller, id);
        const { userId, replacesUserId } = override;
        const isAdmin = boundedToGroupsOf(caller) === undefined;
        if (userId !== me && replacesUserId !== me && !isAdmin) throw notFound("override");
        await withdraw(tx, id);
        if (userId !== null && replacesUserId !== me) {
          const news = { tenantId, change: "ended", group, duty: override, to: [replacesUserId!] } as const;
          await tellDuty(deps, tx, news, deps.clock.now());
        }
        return { target: id, before: override, result: undefined };
      },
    };
  },
);

/** Locks an open offer in a group of the caller's. @throws MusterError not_found; precondition_failed */
async function offerOf(
  tx: Tx,
  caller: Caller,
  id: string,
): Promise<{ me: string; override: OverrideRecord; group: PagedGroup }> {
  const me = ownUserOf(caller);
  const { override, group } = await lockOverride(tx, caller.tenantId, id);
  if (!colleaguesOf(group).has(me)) throw notFound("override");
  if (override.state !== "offered") throw preconditionFailed("state");
  return { me, override, group };
}
