import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, label, page, strictPaging, timestamp } from "../../shapes.ts";

const TAG = "Shifts";

export const absence = z
  .strictObject({
    id,
    userId: id,
    startsAt: timestamp,
    endsAt: timestamp,
    note: z.string().nullable().meta({ description: "null as well for users who may not read it" }),
    createdAt: timestamp,
    createdBy: z.string(),
    uncovered: z
      .array(
        z
          .strictObject({
            groupId: id,
            groupName: z.string(),
            hours: z.number(),
            startsAt: timestamp.meta({ description: "The first such time" }),
            endsAt: timestamp,
          })
          .meta({ id: "LostCover" }),
      )
      .meta({ description: "The hours of the next 62 days in which it leaves nobody on duty, by group" }),
  })
  .meta({ id: "Absence" });

/** The fields of a new absence, whoever records it. */
export const ABSENCE_FIELDS = {
  startsAt: instant.nullable().optional().meta({ description: "The time of the request by default" }),
  endsAt: instant,
  note: label(records.noteCharacters.value)
    .nullable()
    .optional()
    .meta({ description: "For the user and admins; not in the audit" }),
};

export const ABSENCE_EXAMPLE = {
  id: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d13",
  userId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  startsAt: "2026-11-28T08:00:00.000Z",
  endsAt: "2026-12-05T08:00:00.000Z",
  note: "Holiday",
  createdAt: "2026-11-26T09:00:00.000Z",
  createdBy: "user:0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  uncovered: [],
};

export const listAbsences = publicRoute({
  useCase: notificationUseCases.listAbsences,
  operationId: "listAbsences",
  method: "GET",
  path: "/api/v1/groups/{id}/absences",
  tag: TAG,
  summary: "List absences",
  description: "The absences of the people of a group that have not ended, by start.",
  params: idParams,
  query: z.strictObject(strictPaging(50, 200)),
  status: 200,
  response: page(absence),
  errors: ["not_found"],
  volatile: ["items"],
  examples: { response: { items: [ABSENCE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { params, query }, listAbsences) => listAbsences(caller, params.id, query),
});

export const createAbsence = publicRoute({
  useCase: notificationUseCases.createAbsence,
  operationId: "createAbsence",
  method: "POST",
  path: "/api/v1/absences",
  tag: TAG,
  summary: "Record an absence",
  description:
    "While absent, a user is neither on duty nor paged. The user is told, and the admins of groups that lose cover.",
  body: z.strictObject({ userId: id, ...ABSENCE_FIELDS }).meta({ id: "AbsenceCreate" }),
  status: 201,
  response: absence,
  errors: [],
  examples: {
    body: { userId: ABSENCE_EXAMPLE.userId, startsAt: ABSENCE_EXAMPLE.startsAt, endsAt: ABSENCE_EXAMPLE.endsAt },
    response: ABSENCE_EXAMPLE,
  },
  handler: (caller, { body }, createAbsence) => createAbsence(caller, body),
});

export const endAbsence = publicRoute({
  useCase: notificationUseCases.endAbsence,
  operationId: "endAbsence",
  method: "DELETE",
  path: "/api/v1/absences/{id}",
  tag: TAG,
  summary: "End an absence",
  description: "Ends it now, or removes it if it has not begun. The user is told.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, endAbsence) => endAbsence(caller, params.id),
});
