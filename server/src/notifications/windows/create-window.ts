import { adminUseCase, boundedToGroupsOf, type PreparedChange } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import type { ShiftTimes } from "../../groups/groups.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import type { NotificationsDeps } from "../deps.ts";
import { checkEnd, checkRecurrence, type NewRecurrence, requireMayHold } from "./check-window.ts";
import { type Covers, toWindowRecord, type WindowRecord } from "./window-record.ts";
import { addDevices, findDevices, findWindow, insertWindow, unknownCovered } from "./window-store.ts";

/** A new maintenance window: `endsAt` for one that takes place once, or `recurrence`. */
export interface NewWindow {
  name: string;
  covers: Covers;
  groupId?: string | null | undefined;
  deviceTypeId?: string | null | undefined;
  deviceIds?: readonly string[] | undefined;
  /** Now by default. */
  startsAt?: Date | null | undefined;
  endsAt?: Date | null | undefined;
  recurrence?: NewRecurrence | null | undefined;
  holdsCritical?: boolean | undefined;
}

/** @throws MusterError invalid_request; insufficient_role; quota_exceeded */
export const createWindow = adminUseCase(
  { scope: "shifts:write", role: "operator" },
  "maintenance-window.create",
  async (deps: NotificationsDeps, caller, input: NewWindow): Promise<PreparedChange<WindowRecord>> => {
    const { tenantId, actor: createdBy } = caller;
    const now = deps.clock.now();
    const [id, viewer] = [deps.ids.uuid(now), boundedToGroupsOf(caller)];
    const { covers, holdsCritical = false } = input;
    const named = namedBy(input);
    const times = checkTimes(input, now);
    const row = { id, name: plainLine("name", input.name), covers, ...named, ...times, holdsCritical, createdBy };
    return {
      change: async (tx) => {
        const uids = await requireKnown(tx, tenantId, named, viewer);
        checkCovered(covers, named);
        await deps.quotas.within(tx, tenantId, "maintenanceWindows", 1);
        await insertWindow(tx, tenantId, row, now);
        await addDevices(tx, tenantId, id, uids);
        await requireMayHold(tx, caller, id, row);
        const result = toWindowRecord((await findWindow(tx, tenantId, id, viewer))!, now);
        return { target: id, after: result, result };
      },
    };
  },
);

type Named = { groupId: string | null; deviceTypeId: string | null; deviceIds: string[] };

/** @throws MusterError invalid_request for too many devices, or an id that is none */
function namedBy({ groupId = null, deviceTypeId = null, deviceIds = [] }: NewWindow): Named {
  const most = records.devicesOfWindow.value;
  if (deviceIds.length > most) throw invalidRequest(`A window names at most ${most} devices.`, "deviceIds");
  const unknown = [groupId, deviceTypeId].find((id) => id !== null && !isUuid(id));
  if (unknown) throw invalidRequest("There is no such group or device type.", unknown);
  return { groupId, deviceTypeId, deviceIds: [...new Set(deviceIds)].sort() };
}

/**
 * Requires that everything named exists and that the devices are visible.
 *
 * @returns the devices
 * @throws MusterError invalid_request with the unknown id in `detail`
 */
async function requireKnown(tx: Tx, tenantId: string, named: Named, viewer: string | undefined): Promise<string[]> {
  const unknown = await unknownCovered(tx, tenantId, named);
  if (unknown !== null) throw invalidRequest("There is no such group or device type.", unknown);
  const known = await findDevices(tx, tenantId, named.deviceIds, viewer);
  const unknownDevice = named.deviceIds.find((id) => !known.has(id));
  if (unknownDevice !== undefined) throw invalidRequest("There is no such device.", unknownDevice);
  return [...known.values()];
}

/** @throws MusterError invalid_request unless exactly what `covers` says is named */
function checkCovered(covers: Covers, { groupId, deviceTypeId, deviceIds }: Named): void {
  const named = { group: groupId !== null, deviceType: deviceTypeId !== null, devices: deviceIds.length > 0 };
  for (const [kind, given] of Object.entries(named))
    if (given !== (kind === covers)) throw invalidRequest("Name exactly the devices, group or type of covers.", covers);
}

/** @throws MusterError invalid_request */
function checkTimes(
  { startsAt, endsAt, recurrence }: NewWindow,
  now: Date,
): { startsAt: Date | null; endsAt: Date | null; recurrence: ShiftTimes | null } {
  if (!recurrence === !endsAt) throw invalidRequest("Give either endsAt or recurrence.", "endsAt");
  if (recurrence && startsAt) throw invalidRequest("A recurring window has no startsAt.", "startsAt");
  if (recurrence) return { startsAt: null, endsAt: null, recurrence: checkRecurrence(recurrence) };
  const start = startsAt ?? now;
  checkEnd(start, endsAt!, now);
  return { startsAt: start, endsAt: endsAt!, recurrence: null };
}
