import { groupUseCases } from "../../../groups/groups.ts";
import { inApp } from "../../in-app.ts";
import { adminRoute } from "../../route.ts";
import { id, page } from "../../shapes.ts";
import * as specified from "../../v1/shifts.ts";

const TAG = "Shifts";

export const listShifts = adminRoute({
  useCase: groupUseCases.listShifts,
  operationId: "listShifts",
  csv: "shifts",
  method: "GET",
  path: "/api/admin/shifts",
  tag: TAG,
  summary: "List shifts",
  description:
    "The tenant's shifts, newest first. Users other than admins see the shifts of their groups, their own shifts, and those without a group.",
  query: specified.shiftQuery.extend({ groupId: id.optional().meta({ description: "Only shifts of this group" }) }),
  status: 200,
  response: page(specified.shiftRecord),
  errors: [],
  examples: { response: { items: [specified.SHIFT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listShifts) => listShifts(caller, query),
});

export const getShift = inApp(specified.getShift, {
  description: "One shift that the user can see.",
});

export const createShift = inApp(specified.createShift, {
  description:
    "The shift recurs in the local time of its zone, respecting daylight saving. An administrator adds it to groups.",
});
export const updateShift = inApp(specified.updateShift);
export const deleteShift = inApp(specified.deleteShift);
