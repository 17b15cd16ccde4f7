import { z } from "zod";
import { groupUseCases, LIMITS } from "../../groups/groups.ts";
import { records } from "../../lib/limits/records.ts";
import { notificationUseCases } from "../../notifications/notifications.ts";
import { DAY_OF_WEEK } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { externalId, id, idParams, instant, label, page, paging, timestamp } from "../shapes.ts";

const TAG = "Shifts";

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const date = z.iso.date().nullable();

const layer = z.int().min(0).max(9);
const rotation = z
  .strictObject({
    unit: z.enum(["day", "week"]).meta({ id: "RotationUnit" }),
    every: z.int().min(1).max(366).meta({ description: "The days or weeks of a turn" }),
    startDate: z.iso.date().meta({ description: "The local day on which the first turn begins" }),
    handOverTime: timeOfDay.meta({ description: "The local time at which a turn begins, `HH:MM`" }),
    turns: z
      .array(z.array(z.string().max(128)).max(records.usersOfTurn.value))
      .max(records.turnsOfShift.value)
      .meta({ description: "The users of each turn, by id: one person, a pair, or more" }),
  })
  .meta({ id: "ShiftRotation", description: "Turns among the users of a shift, in local time of its zone" });
const givenRotation = z.strictObject(rotation.shape).meta({ id: "ShiftRotationInput" });

export const shiftRecord = z
  .strictObject({
    id,
    name: z.string(),
    externalId,
    timeZone: z.string().meta({ description: "The IANA name of the zone in whose local time the shift recurs" }),
    startTime: timeOfDay.meta({ description: "The local time at which a duty begins, `HH:MM`" }),
    endTime: timeOfDay.meta({
      description:
        "The local time at which it ends; a time at or before `startTime` is on the next day, and equal times mean a whole day",
    }),
    daysOfWeek: z.array(DAY_OF_WEEK).meta({ description: "The local days on which a duty begins" }),
    userIds: z.array(id).meta({ description: "The users on duty; of all turns, if the shift rotates" }),
    layer: layer.meta({
      description: "Among the shifts of a group on duty, only those of the highest layer with an active user are paged",
    }),
    rotation: rotation.nullable().meta({ description: "Null if all users are on duty together" }),
    validFrom: date.meta({ description: "The first local day on which a duty begins; null for no bound" }),
    validUntil: date.meta({ description: "The last local day on which a duty begins; null for no bound" }),
    groupIds: z.array(id).meta({ description: "The groups that have the shift" }),
    onDuty: z.boolean().meta({ description: "Whether it is on duty at the time of the answer" }),
  })
  .meta({ id: "Shift" });

export const SHIFT_EXAMPLE = {
  id: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d0e",
  name: "Nights, week",
  externalId: null,
  timeZone: "Europe/Berlin",
  startTime: "22:00",
  endTime: "06:00",
  daysOfWeek: ["mon", "tue", "wed", "thu"],
  userIds: ["0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d"],
  validFrom: "2026-11-01",
  validUntil: null,
  layer: 0,
  rotation: null,
  groupIds: ["0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d"],
  onDuty: false,
};

const { id: _id, groupIds: _groupIds, onDuty: _onDuty, ...NEW_EXAMPLE } = SHIFT_EXAMPLE;

/** The fields of a new shift. */
export const shiftFields = {
  name: label(),
  timeZone: z.string().min(1).max(64).meta({ description: "IANA name, such as `Europe/Berlin`" }),
  startTime: timeOfDay.meta({ description: "The local time at which a duty begins, `HH:MM`" }),
  endTime: timeOfDay.meta({
    description: "A time at or before `startTime` is on the next day; equal times mean a whole day",
  }),
  daysOfWeek: z.array(DAY_OF_WEEK).min(1).max(7).meta({ description: "The days on which a duty begins" }),
  userIds: z
    .array(z.string().max(128))
    .max(LIMITS.usersOfShift)
    .optional()
    .meta({ description: "Those of all turns, or absent, if the shift rotates" }),
  layer: layer
    .optional()
    .meta({ description: "By default 0; of a group's shifts on duty, the highest layer is paged" }),
  rotation: givenRotation.nullable().optional(),
  validFrom: date.optional().meta({ description: "The first local day on which a duty begins; null for no bound" }),
  validUntil: date.optional().meta({ description: "The last local day on which a duty begins; null for no bound" }),
  externalId: externalId.optional(),
};

const duty = z
  .strictObject({
    shiftId: id,
    shiftName: z.string(),
    groupIds: z.array(id).meta({ description: "The groups of which no shift of a higher layer is on duty" }),
    userIds: z.array(id),
    startsAt: timestamp,
    endsAt: timestamp,
  })
  .meta({ id: "OnCallDuty" });

export const shiftQuery = z.strictObject({
  q: z.string().max(records.searchCharacters.value).optional().meta({ description: "Part of the name, ignoring case" }),
  ...paging(50, 200),
});

export const listShifts = publicRoute({
  useCase: groupUseCases.listShifts,
  operationId: "listShifts",
  method: "GET",
  path: "/api/v1/shifts",
  tag: TAG,
  summary: "List shifts",
  description: "The tenant's shifts, newest first.",
  query: shiftQuery,
  status: 200,
  response: page(shiftRecord),
  errors: [],
  examples: { response: { items: [SHIFT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listShifts) => listShifts(caller, query),
});

export const getShift = publicRoute({
  useCase: groupUseCases.getShift,
  operationId: "getShift",
  method: "GET",
  path: "/api/v1/shifts/{id}",
  tag: TAG,
  summary: "Get a shift",
  description: "One shift of the tenant. Daylight saving is respected: a night of eight hours may last seven or nine.",
  params: idParams,
  status: 200,
  response: shiftRecord,
  errors: ["not_found"],
  volatile: ["onDuty"],
  examples: { response: SHIFT_EXAMPLE },
  handler: (caller, { params }, getShift) => getShift(caller, params.id),
});

export const createShift = publicRoute({
  useCase: groupUseCases.createShift,
  operationId: "createShift",
  method: "POST",
  path: "/api/v1/shifts",
  tag: TAG,
  summary: "Create a shift",
  description:
    "The shift recurs in the local time of its zone, respecting daylight saving. `POST /api/v1/groups/{groupId}/shifts` adds it to a group.",
  body: z.strictObject(shiftFields).meta({ id: "ShiftCreate" }),
  status: 201,
  response: shiftRecord,
  errors: ["quota_exceeded", "already_exists"],
  examples: { body: NEW_EXAMPLE, response: { ...SHIFT_EXAMPLE, groupIds: [] } },
  handler: (caller, { body: { validFrom, validUntil, ...body } }, createShift) =>
    createShift(caller, { ...body, validFrom: validFrom ?? undefined, validUntil: validUntil ?? undefined }),
});

export const updateShift = publicRoute({
  useCase: groupUseCases.updateShift,
  operationId: "updateShift",
  method: "PATCH",
  path: "/api/v1/shifts/{id}",
  tag: TAG,
  summary: "Change a shift",
  description: "Absent fields stay unchanged. The shift changes for every group that has it.",
  params: idParams,
  body: z.strictObject(shiftFields).partial().meta({ id: "ShiftUpdate" }),
  status: 200,
  response: shiftRecord,
  errors: ["not_found", "already_exists"],
  volatile: ["onDuty"],
  examples: { body: { endTime: "07:00" }, response: { ...SHIFT_EXAMPLE, endTime: "07:00" } },
  handler: (caller, { params, body, matches }, updateShift) => updateShift(caller, params.id, body, { matches }),
});

export const deleteShift = publicRoute({
  useCase: groupUseCases.deleteShift,
  operationId: "deleteShift",
  method: "DELETE",
  path: "/api/v1/shifts/{id}",
  tag: TAG,
  summary: "Delete a shift",
  description: "Its users are no longer on duty, in any group.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteShift) => deleteShift(caller, params.id),
});

export const listOnCall = publicRoute({
  useCase: notificationUseCases.onCallAt,
  operationId: "listOnCall",
  method: "GET",
  path: "/api/v1/on-call",
  tag: TAG,
  summary: "List who is on call",
  description:
    "The duties in progress at an instant, by default now: of one group, or of all that the caller sees. Rotations and layers count; a shift whose duty layers cut at other times in another group is listed once for each. Users who cannot be notified are left out; an answer about the past follows the present settings.",
  query: z.strictObject({
    at: instant.optional().meta({ description: "By default the time of the request" }),
    groupId: z.string().max(128).optional(),
  }),
  status: 200,
  response: z.strictObject({ items: z.array(duty) }).meta({ id: "OnCallList" }),
  errors: [],
  examples: {
    response: {
      items: [
        {
          shiftId: SHIFT_EXAMPLE.id,
          shiftName: SHIFT_EXAMPLE.name,
          groupIds: SHIFT_EXAMPLE.groupIds,
          userIds: SHIFT_EXAMPLE.userIds,
          startsAt: "2026-11-20T21:00:00.000Z",
          endsAt: "2026-11-21T05:00:00.000Z",
        },
      ],
    },
  },
  handler: async (caller, { query }, onCallAt) => ({ items: await onCallAt(caller, query.at, query.groupId) }),
});
