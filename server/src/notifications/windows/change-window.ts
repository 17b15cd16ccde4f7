import { isDeepStrictEqual } from "node:util";
import { adminUseCase, boundedToGroupsOf, type Caller, type PreparedChange } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest, notFound, preconditionFailed } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import type { NotificationsDeps } from "../deps.ts";
import { lockPaging, releaseHeld } from "../holds/hold-store.ts";
import { checkEnd, checkRecurrence, type NewRecurrence, requireMayHold } from "./check-window.ts";
import { windowAt } from "./window-calendar.ts";
import { toWindowRecord, type WindowRecord, type WindowRow } from "./window-record.ts";
import { deleteWindowRow, findWindow, lockWindow, updateWindowRow, type WindowChange } from "./window-store.ts";

const MAY = { scope: "shifts:write", role: "operator" } as const;

/** A change to a window. Absent fields stay unchanged. */
export interface WindowEdit {
  name?: string | undefined;
  holdsCritical?: boolean | undefined;
  startsAt?: Date | undefined;
  endsAt?: Date | undefined;
  recurrence?: NewRecurrence | undefined;
}

/** Changes a window. Pages that it no longer holds back are due immediately. */
export const updateWindow = adminUseCase(
  MAY,
  "maintenance-window.update",
  async (
    deps: NotificationsDeps,
    caller,
    id: string,
    input: WindowEdit,
    { matches }: { matches?: ((current: object) => boolean) | undefined } = {},
  ): Promise<PreparedChange<WindowRecord>> => {
    const name = input.name === undefined ? undefined : plainLine("name", input.name);
    return changed(deps, caller, id, (row, now) => {
      if (matches && !matches(toWindowRecord(row, now))) throw preconditionFailed();
      const { holdsCritical = row.holdsCritical } = input;
      return { ...row, name: name ?? row.name, holdsCritical, ...timesOf(row, input, now) };
    });
  },
);

/** @throws MusterError invalid_request */
function timesOf(row: WindowRow, { startsAt, endsAt, recurrence }: WindowEdit, now: Date): Partial<WindowChange> {
  if (row.recurrence) {
    if (startsAt || endsAt) throw invalidRequest("A recurring window has no startsAt or endsAt.", "endsAt");
    return recurrence ? { recurrence: checkRecurrence(recurrence) } : {};
  }
  if (recurrence) throw invalidRequest("A window that takes place once cannot recur.", "recurrence");
  if (!startsAt && !endsAt) return {};
  const times = { startsAt: startsAt ?? row.startsAt!, endsAt: endsAt ?? row.endsAt! };
  checkEnd(times.startsAt, times.endsAt, now);
  return times;
}

/** Ends the occurrence in effect, if any. What is still open pages now. @throws MusterError not_found */
export const endWindow = adminUseCase(
  MAY,
  "maintenance-window.end",
  async (deps: NotificationsDeps, caller, id: string): Promise<PreparedChange<WindowRecord>> =>
    changed(deps, caller, id, (row, now) => {
      const current = windowAt(row, now);
      if (!current) return row;
      if (!row.recurrence) return { ...row, endsAt: now };
      return { ...row, skippedUntil: current.endsAt, extendedFrom: null, extendedUntil: null };
    }),
);

/**
 * Extends the occurrence in effect; a window that takes place once also before and after it.
 *
 * @throws MusterError not_found; invalid_request
 */
export const extendWindow = adminUseCase(
  MAY,
  "maintenance-window.extend",
  async (deps: NotificationsDeps, caller, id: string, until: Date): Promise<PreparedChange<WindowRecord>> =>
    changed(deps, caller, id, (row, now) => {
      const current = row.recurrence ? windowAt(row, now) : { startsAt: row.startsAt!, endsAt: row.endsAt! };
      if (!current) throw invalidRequest("The window is not in effect now.");
      if (until < current.endsAt) throw invalidRequest("The new end must not be before the present one.", "until");
      checkEnd(current.startsAt, until, now);
      return row.recurrence
        ? { ...row, extendedFrom: current.startsAt, extendedUntil: until }
        : { ...row, endsAt: until };
    }),
);

/** Deletes a window. What it held back pages now. @throws MusterError not_found */
export const deleteWindow = adminUseCase(
  MAY,
  "maintenance-window.delete",
  async ({ clock }: NotificationsDeps, caller, id: string): Promise<PreparedChange<void>> => {
    const { tenantId } = caller;
    if (!isUuid(id)) throw notFound("maintenance window");
    return {
      change: async (tx) => {
        const now = clock.now();
        await lockPaging(tx, tenantId);
        const row = await lockWindow(tx, tenantId, id, boundedToGroupsOf(caller));
        if (!row) throw notFound("maintenance window");
        await requireMayHold(tx, caller, id, row);
        await deleteWindowRow(tx, tenantId, id);
        await releaseHeld(tx, tenantId, "window", now);
        return { target: id, before: toWindowRecord(row, now), result: undefined };
      },
    };
  },
);

/** Prepares a change that pages wait for: no process decides about the tenant's pages meanwhile. */
function changed(
  { clock }: NotificationsDeps,
  caller: Caller,
  id: string,
  edit: (row: WindowRow, now: Date) => WindowChange,
): PreparedChange<WindowRecord> {
  const { tenantId } = caller;
  const viewer = boundedToGroupsOf(caller);
  if (!isUuid(id)) throw notFound("maintenance window");
  return {
    change: async (tx) => {
      const now = clock.now();
      await lockPaging(tx, tenantId);
      const row = await lockWindow(tx, tenantId, id, viewer);
      if (!row) throw notFound("maintenance window");
      await requireMayHold(tx, caller, id, row);
      await updateWindowRow(tx, tenantId, id, edit(row, now), now);
      await releaseHeld(tx, tenantId, "window", now);
      const before = toWindowRecord(row, now);
      const result = toWindowRecord((await findWindow(tx, tenantId, id, viewer))!, now);
      const written = { resource: "maintenance-window", id, result: "updated" } as const;
      return { target: id, before, after: result, result, written, unchanged: isDeepStrictEqual(before, result) };
    },
  };
}
