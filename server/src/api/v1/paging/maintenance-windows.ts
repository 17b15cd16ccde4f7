import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { COVERED, DAY_OF_WEEK } from "../../named-shapes.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, label, nullableTimestamp, page, strictPaging, timestamp } from "../../shapes.ts";
import { timeOfDay } from "../shifts.ts";

const TAG = "Maintenance";

const date = z.iso.date().nullable();
const recurrence = z
  .strictObject({
    timeZone: z.string().min(1).max(64).meta({ description: "IANA name, such as `Europe/Berlin`" }),
    startTime: timeOfDay.meta({ description: "The local time at which it begins, `HH:MM`" }),
    endTime: timeOfDay.meta({ description: "A time at or before `startTime` is on the next day" }),
    daysOfWeek: z.array(DAY_OF_WEEK).min(1).max(7).meta({ description: "The local days on which it begins" }),
    validFrom: date.meta({ description: "The first local day on which it begins; null for no bound" }),
    validUntil: date.meta({ description: "The last local day on which it begins; null for no bound" }),
  })
  .meta({ id: "Recurrence", description: "In local time of the zone, respecting daylight saving" });
export const givenRecurrence = recurrence
  .partial({ validFrom: true, validUntil: true })
  .meta({ id: "RecurrenceInput" });
const occurrence = z.strictObject({ startsAt: timestamp, endsAt: timestamp }).meta({ id: "Occurrence" });
const holdsCritical = z
  .boolean()
  .meta({ description: "Whether critical pages wait as well; by default they are sent" });

const windowRecord = z
  .strictObject({
    id,
    name: z.string(),
    covers: COVERED,
    groupId: id.nullable(),
    deviceTypeId: id.nullable(),
    deviceIds: z.array(id).meta({ description: "Those of its devices that the caller sees" }),
    startsAt: nullableTimestamp.meta({ description: "Null if it recurs" }),
    endsAt: nullableTimestamp,
    recurrence: recurrence.nullable().meta({ description: "Null if it takes place once" }),
    holdsCritical,
    current: occurrence.nullable().meta({ description: "The occurrence in effect" }),
    next: occurrence.nullable().meta({ description: "The next occurrence" }),
    createdAt: timestamp,
    createdBy: z.string(),
  })
  .meta({ id: "MaintenanceWindow" });

export const WINDOW_EXAMPLE = {
  id: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d11",
  name: "Firmware 2.4 in hall 3",
  covers: "group" as const,
  groupId: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  deviceTypeId: null,
  deviceIds: [],
  startsAt: "2026-11-28T21:00:00.000Z",
  endsAt: "2026-11-29T03:00:00.000Z",
  recurrence: null,
  holdsCritical: false,
  current: null,
  next: { startsAt: "2026-11-28T21:00:00.000Z", endsAt: "2026-11-29T03:00:00.000Z" },
  createdAt: "2026-11-26T09:00:00.000Z",
  createdBy: "user:0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
};

export const listMaintenanceWindows = publicRoute({
  useCase: notificationUseCases.listWindows,
  operationId: "listMaintenanceWindows",
  method: "GET",
  path: "/api/v1/maintenance-windows",
  tag: TAG,
  summary: "List maintenance windows",
  description: "Planned, current and, for 30 days, ended windows, newest first.",
  query: z.strictObject({
    deviceId: id.optional().meta({ description: "Only windows that cover this device" }),
    groupId: id.optional().meta({ description: "Only windows of this group, and of all devices" }),
    unended: z
      .enum(["true", "false"])
      .meta({ id: "Flag" })
      .transform((text) => text === "true")
      .optional()
      .meta({ description: "`true` leaves out windows that have ended" }),
    ...strictPaging(50, 200),
  }),
  status: 200,
  response: page(windowRecord),
  errors: [],
  volatile: ["current", "next"],
  examples: { response: { items: [WINDOW_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listWindows) => listWindows(caller, query),
});

export const getMaintenanceWindow = publicRoute({
  useCase: notificationUseCases.getWindow,
  operationId: "getMaintenanceWindow",
  method: "GET",
  path: "/api/v1/maintenance-windows/{id}",
  tag: TAG,
  summary: "Get a maintenance window",
  description: "One window of the tenant.",
  params: idParams,
  status: 200,
  response: windowRecord,
  errors: ["not_found"],
  volatile: ["current", "next"],
  examples: { response: WINDOW_EXAMPLE },
  handler: (caller, { params }, getWindow) => getWindow(caller, params.id),
});

export const createMaintenanceWindow = publicRoute({
  useCase: notificationUseCases.createWindow,
  operationId: "createMaintenanceWindow",
  method: "POST",
  path: "/api/v1/maintenance-windows",
  tag: TAG,
  summary: "Create a maintenance window",
  description:
    "Give `endsAt` for a window that takes place once, or `recurrence`. While it is in effect, the pages of its devices wait; what is then still open pages once. Anomalies are recorded and resolutions sent all the same.",
  body: z
    .strictObject({
      name: label(),
      covers: COVERED,
      groupId: id.nullable().optional(),
      deviceTypeId: id.nullable().optional(),
      deviceIds: z.array(id).max(records.devicesOfWindow.value).optional(),
      startsAt: instant.nullable().optional().meta({ description: "The time of the request by default" }),
      endsAt: instant.nullable().optional(),
      recurrence: givenRecurrence.nullable().optional(),
      holdsCritical: holdsCritical.optional(),
    })
    .meta({ id: "MaintenanceWindowCreate" }),
  status: 201,
  response: windowRecord,
  errors: ["quota_exceeded"],
  examples: {
    body: {
      name: WINDOW_EXAMPLE.name,
      covers: "group",
      groupId: WINDOW_EXAMPLE.groupId,
      recurrence: { timeZone: "Europe/Berlin", startTime: "22:00", endTime: "04:00", daysOfWeek: ["sat"] },
    },
    response: WINDOW_EXAMPLE,
  },
  handler: (caller, { body }, createWindow) => createWindow(caller, body),
});

export const updateMaintenanceWindow = publicRoute({
  useCase: notificationUseCases.updateWindow,
  operationId: "updateMaintenanceWindow",
  method: "PATCH",
  path: "/api/v1/maintenance-windows/{id}",
  tag: TAG,
  summary: "Change a maintenance window",
  description: "Absent fields stay unchanged. Pages that the window no longer holds back are sent.",
  params: idParams,
  body: z
    .strictObject({
      name: label().optional(),
      startsAt: instant.optional(),
      endsAt: instant.optional(),
      recurrence: givenRecurrence.optional(),
      holdsCritical: holdsCritical.optional(),
    })
    .meta({ id: "MaintenanceWindowUpdate" }),
  status: 200,
  response: windowRecord,
  errors: ["not_found"],
  volatile: ["current", "next"],
  examples: { body: { holdsCritical: true }, response: { ...WINDOW_EXAMPLE, holdsCritical: true } },
  handler: (caller, { params, body, matches }, updateWindow) => updateWindow(caller, params.id, body, { matches }),
});

export const endMaintenanceWindow = publicRoute({
  useCase: notificationUseCases.endWindow,
  operationId: "endMaintenanceWindow",
  method: "POST",
  path: "/api/v1/maintenance-windows/{id}/end",
  tag: TAG,
  summary: "End a maintenance window early",
  description: "Ends the occurrence in effect; a recurring window takes place again. What is still open pages now.",
  params: idParams,
  status: 200,
  response: windowRecord,
  errors: ["not_found"],
  examples: { response: { ...WINDOW_EXAMPLE, endsAt: "2026-11-29T01:10:00.000Z", next: null } },
  handler: (caller, { params }, endWindow) => endWindow(caller, params.id),
});

export const extendMaintenanceWindow = publicRoute({
  useCase: notificationUseCases.extendWindow,
  operationId: "extendMaintenanceWindow",
  method: "POST",
  path: "/api/v1/maintenance-windows/{id}/extend",
  tag: TAG,
  summary: "Extend a maintenance window",
  description: "Prolongs the occurrence in effect, without a gap.",
  params: idParams,
  body: z.strictObject({ until: instant }).meta({ id: "MaintenanceWindowExtend" }),
  status: 200,
  response: windowRecord,
  errors: ["not_found"],
  examples: {
    body: { until: "2026-11-29T05:00:00Z" },
    response: { ...WINDOW_EXAMPLE, endsAt: "2026-11-29T05:00:00.000Z" },
  },
  handler: (caller, { params, body }, extendWindow) => extendWindow(caller, params.id, body.until),
});

export const deleteMaintenanceWindow = publicRoute({
  useCase: notificationUseCases.deleteWindow,
  operationId: "deleteMaintenanceWindow",
  method: "DELETE",
  path: "/api/v1/maintenance-windows/{id}",
  tag: TAG,
  summary: "Delete a maintenance window",
  description: "What it held back and is still open pages now.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteWindow) => deleteWindow(caller, params.id),
});
