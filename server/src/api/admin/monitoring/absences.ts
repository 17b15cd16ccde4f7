import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { inApp } from "../../in-app.ts";
import { adminRoute } from "../../route.ts";
import { idParams } from "../../shapes.ts";
import * as specified from "../../v1/paging/absences.ts";

const TAG = "Shifts";
const OWN = "/api/admin/duties/absences";
const { ABSENCE_EXAMPLE } = specified;

export const listAbsences = inApp(specified.listAbsences, {
  description:
    "The absences of the people of a group that have not ended, by start. Users other than admins see those of groups that they are members of, or on a shift of, and no notes of others.",
});
export const createAbsence = inApp(specified.createAbsence);
export const endAbsence = inApp(specified.endAbsence);

export const listOwnAbsences = adminRoute({
  useCase: notificationUseCases.listOwnAbsences,
  operationId: "listOwnAbsences",
  method: "GET",
  path: OWN,
  tag: TAG,
  summary: "List your absences",
  description: "The signed-in user's absences that have not ended, by start.",
  status: 200,
  response: z.strictObject({ items: z.array(specified.absence) }).meta({ id: "OwnAbsences" }),
  errors: [],
  volatile: ["items"],
  examples: { response: { items: [ABSENCE_EXAMPLE] } },
  handler: async (caller, _input, listOwnAbsences) => ({ items: await listOwnAbsences(caller) }),
});

export const createOwnAbsence = adminRoute({
  useCase: notificationUseCases.createOwnAbsence,
  operationId: "createOwnAbsence",
  method: "POST",
  path: OWN,
  tag: TAG,
  summary: "Record your absence",
  description:
    "While absent, the signed-in user is neither on duty nor paged. The admins of groups that lose cover are told.",
  body: z.strictObject(specified.ABSENCE_FIELDS).meta({ id: "OwnAbsenceCreate" }),
  status: 201,
  response: specified.absence,
  errors: [],
  examples: {
    body: { startsAt: ABSENCE_EXAMPLE.startsAt, endsAt: ABSENCE_EXAMPLE.endsAt, note: ABSENCE_EXAMPLE.note },
    response: ABSENCE_EXAMPLE,
  },
  handler: (caller, { body }, createOwnAbsence) => createOwnAbsence(caller, body),
});

export const endOwnAbsence = adminRoute({
  useCase: notificationUseCases.endOwnAbsence,
  operationId: "endOwnAbsence",
  method: "DELETE",
  path: `${OWN}/{id}`,
  tag: TAG,
  summary: "End your absence",
  description: "Ends it now, or removes it if it has not begun.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, endOwnAbsence) => endOwnAbsence(caller, params.id),
});
