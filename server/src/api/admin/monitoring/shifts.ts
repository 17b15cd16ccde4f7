import { z } from "zod";
import { groupUseCases, LIMITS } from "../../../groups/groups.ts";
import { inApp } from "../../in-app.ts";
import { DAY_OF_WEEK } from "../../named-shapes.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, label, page } from "../../shapes.ts";
import * as specified from "../../v1/shifts.ts";

const TAG = "Shifts";
const { id: _id, groupIds: __, onDuty: ___, ...NEW } = specified.SHIFT_EXAMPLE;

const date = z.iso.date().nullable();

const newShift = z
  .strictObject({
    name: label(),
    timeZone: z.string().min(1).max(64).meta({ description: "IANA name, such as `Europe/Berlin`" }),
    startTime: specified.timeOfDay.meta({ description: "The local time at which a duty begins, `HH:MM`" }),
    endTime: specified.timeOfDay.meta({
      description: "A time at or before `startTime` is on the next day; equal times mean a whole day",
    }),
    daysOfWeek: z.array(DAY_OF_WEEK).min(1).max(7).meta({ description: "The days on which a duty begins" }),
    userIds: z.array(z.string().max(128)).max(LIMITS.usersOfShift).optional(),
    validFrom: date.optional().meta({ description: "The first local day on which a duty begins; null for no bound" }),
    validUntil: date.optional().meta({ description: "The last local day on which a duty begins; null for no bound" }),
  })
  .meta({ id: "ShiftCreate" });

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

export const createShift = adminRoute({
  useCase: groupUseCases.createShift,
  operationId: "createShift",
  method: "POST",
  path: "/api/admin/shifts",
  tag: TAG,
  summary: "Create a shift",
  description:
    "The shift recurs in the local time of its zone, respecting daylight saving. An administrator adds it to groups.",
  body: newShift,
  status: 201,
  response: specified.shiftRecord,
  errors: ["quota_exceeded"],
  examples: { body: NEW, response: { ...specified.SHIFT_EXAMPLE, groupIds: [] } },
  handler: (caller, { body: { validFrom, validUntil, ...body } }, createShift) =>
    createShift(caller, { ...body, validFrom: validFrom ?? undefined, validUntil: validUntil ?? undefined }),
});

export const updateShift = adminRoute({
  useCase: groupUseCases.updateShift,
  operationId: "updateShift",
  method: "PATCH",
  path: "/api/admin/shifts/{id}",
  tag: TAG,
  summary: "Change a shift",
  description: "Absent fields stay unchanged. The shift changes for every group that has it.",
  params: idParams,
  body: newShift.partial().meta({ id: "ShiftEdit" }),
  status: 200,
  response: specified.shiftRecord,
  errors: ["not_found", "precondition_failed"],
  volatile: ["onDuty"],
  examples: { body: { endTime: "07:00" }, response: { ...specified.SHIFT_EXAMPLE, endTime: "07:00" } },
  handler: (caller, { params, body, matches }, updateShift) => updateShift(caller, params.id, body, { matches }),
});

export const deleteShift = adminRoute({
  useCase: groupUseCases.deleteShift,
  operationId: "deleteShift",
  method: "DELETE",
  path: "/api/admin/shifts/{id}",
  tag: TAG,
  summary: "Delete a shift",
  description: "Its users are no longer on duty, in any group.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteShift) => deleteShift(caller, params.id),
});
