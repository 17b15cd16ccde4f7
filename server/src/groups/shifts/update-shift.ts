import { isDeepStrictEqual } from "node:util";
import { adminUseCase, boundedToGroupsOf, type PreparedChange } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest, notFound, preconditionFailed } from "../../lib/request-errors.ts";
import { checkExternalId, plainLine } from "../../lib/text.ts";
import type { GroupsDeps } from "../deps.ts";
import { LIMITS } from "../limits.ts";
import type { Precondition } from "../update-group.ts";
import { checkRotation, checkTimes } from "./check-shift.ts";
import { type NewShift, usersOf } from "./create-shift.ts";
import type { ShiftTimes } from "./shift-calendar.ts";
import { lockShift, setShiftUsers, updateShiftRow } from "./shift-change-store.ts";
import { type ShiftRecord, toShiftRecord } from "./shift-record.ts";
import { findShift } from "./shift-store.ts";

/** A change to a shift. Absent fields stay unchanged; `null` removes a bound. */
export type ShiftEdit = {
  [Field in Exclude<keyof NewShift, "validFrom" | "validUntil">]?: NewShift[Field] | undefined;
} & {
  validFrom?: string | null | undefined;
  validUntil?: string | null | undefined;
};

/**
 * Changes a shift that the caller may see, for all of its groups.
 *
 * @throws MusterError not_found; precondition_failed; invalid_request with the offending value or unknown user's id in
 *   `detail`
 */
export const updateShift = adminUseCase(
  { scope: "shifts:write", role: "operator" },
  "shift.update",
  async (
    { clock }: GroupsDeps,
    caller,
    id: string,
    input: ShiftEdit,
    { matches }: Precondition = {},
  ): Promise<PreparedChange<ShiftRecord>> => {
    if (!isUuid(id)) throw notFound("shift");
    const name = input.name === undefined ? undefined : plainLine("name", input.name);
    const fields = { externalId: input.externalId === undefined ? undefined : checkExternalId(input.externalId) };
    return {
      change: async (tx) => {
        const { tenantId } = caller;
        const now = clock.now();
        const read = () => findShift(tx, tenantId, id, boundedToGroupsOf(caller));
        const found = (await lockShift(tx, tenantId, id)) ? await read() : undefined;
        if (!found) throw notFound("shift");
        const before = toShiftRecord(found, now);
        if (matches && !matches(before)) throw preconditionFailed();
        const times = timesOf(before, input);
        const { externalId = before.externalId } = fields;
        const { layer = before.layer } = input;
        const rotation =
          input.rotation === undefined ? before.rotation : input.rotation && checkRotation(input.rotation);
        const users = input.userIds || input.rotation ? usersOf(input.userIds, rotation) : undefined;
        if (users) await changeUsers(tx, tenantId, id, users);
        const row = { name: name ?? before.name, externalId, layer, rotation, ...times };
        await updateShiftRow(tx, tenantId, id, row, now);
        // Users who removed themselves from the shift may no longer see it.
        const result = toShiftRecord((await findShift(tx, tenantId, id, undefined))!, now);
        const unchanged = isDeepStrictEqual(before, result);
        return { target: id, before, after: result, result, unchanged };
      },
    };
  },
);

/** @throws MusterError invalid_request */
function timesOf(before: ShiftTimes, input: ShiftEdit): ShiftTimes {
  const { validFrom = before.validFrom, validUntil = before.validUntil } = input;
  return checkTimes({
    timeZone: input.timeZone ?? before.timeZone,
    startTime: input.startTime ?? before.startTime,
    endTime: input.endTime ?? before.endTime,
    daysOfWeek: input.daysOfWeek ?? before.daysOfWeek,
    validFrom: validFrom ?? undefined,
    validUntil: validUntil ?? undefined,
  });
}

async function changeUsers(tx: Tx, tenantId: string, id: string, users: readonly string[]): Promise<void> {
  if (users.length > LIMITS.usersOfShift)
    throw invalidRequest(`A shift has at most ${LIMITS.usersOfShift} users.`, "userIds");
  const known = await setShiftUsers(tx, tenantId, id, users.filter(isUuid));
  const unknown = users.find((user) => !known.has(user));
  if (unknown !== undefined) throw invalidRequest("There is no such user.", unknown);
}
