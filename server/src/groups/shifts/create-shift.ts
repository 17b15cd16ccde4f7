import { isDeepStrictEqual } from "node:util";
import { useCase } from "../../access/access.ts";
import { recordWrite } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { checkExternalId, plainLine } from "../../lib/text.ts";
import type { GroupsDeps } from "../deps.ts";
import { LIMITS } from "../limits.ts";
import { checkRotation, checkTimes, type NewShiftTimes, usersOfTurns } from "./check-shift.ts";
import type { Rotation } from "./rotation.ts";
import { type ShiftRecord, toShiftRecord } from "./shift-record.ts";
import { addUsers, insertShift } from "./shift-store.ts";

export interface NewShift extends NewShiftTimes {
  name: string;
  /** The users who are on duty together. With a rotation, those of all its turns, if given. */
  userIds?: readonly string[] | undefined;
  rotation?: Rotation | null | undefined;
  /** 0 to 9, by default 0 ({@link ShiftRecord}). */
  layer?: number | undefined;
  /** Unique among the shifts of the tenant. */
  externalId?: string | null | undefined;
}

/**
 * Creates a shift.
 *
 * @throws MusterError invalid_request with the offending value or unknown user's id in `detail`; quota_exceeded;
 *   already_exists (the external id)
 */
export const createShift = useCase(
  { scope: "shifts:write", role: "operator" },
  async (deps: GroupsDeps, caller, input: NewShift): Promise<ShiftRecord> => {
    const now = deps.clock.now();
    const times = checkTimes(input);
    const row = {
      id: deps.ids.uuid(now),
      name: plainLine("name", input.name),
      time_zone: times.timeZone,
      start_time: times.startTime,
      end_time: times.endTime,
      days_of_week: [...times.daysOfWeek],
      valid_from: times.validFrom,
      valid_until: times.validUntil,
      external_id: checkExternalId(input.externalId ?? null),
      layer: input.layer ?? 0,
      rotation: input.rotation ? checkRotation(input.rotation) : null,
    };
    const users = usersOf(input.userIds, row.rotation) ?? [];
    if (users.length > LIMITS.usersOfShift) throw invalidRequest(`A shift has at most ${LIMITS.usersOfShift} users.`);
    const shift = toShiftRecord({ ...row, user_ids: users, group_ids: [] }, now);
    await inTransaction(deps.database.db, async (tx) => {
      await deps.quotas.within(tx, caller.tenantId, "shifts", 1);
      await insertShift(tx, caller.tenantId, row, now);
      const added = await addUsers(tx, caller.tenantId, row.id, users.filter(isUuid));
      const unknown = users.find((id) => !added.has(id));
      if (unknown !== undefined) throw invalidRequest("There is no such user.", unknown);
      const write = { resource: "shift", id: row.id, result: "created", at: now, after: shift } as const;
      await recordWrite(tx, caller, write, deps.ids);
    });
    return shift;
  },
);

/**
 * Returns the users of a shift, each once, in the order of their ids; `undefined` if neither they nor a rotation is
 * given.
 *
 * @throws MusterError invalid_request if they are not those of the rotation
 */
export function usersOf(userIds: readonly string[] | undefined, rotation: Rotation | null): string[] | undefined {
  const given = userIds && [...new Set(userIds)].sort();
  if (!rotation) return given;
  const users = usersOfTurns(rotation);
  if (given && !isDeepStrictEqual(given, users))
    throw invalidRequest("A shift that rotates takes its users from its turns: omit userIds.", "userIds");
  return users;
}
