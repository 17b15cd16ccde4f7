import { z } from "zod";
import { groupUseCases } from "../../groups/groups.ts";
import { records } from "../../lib/limits/records.ts";
import { DAY_OF_WEEK } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, page, paging } from "../shapes.ts";

const TAG = "Shifts";

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const date = z.iso.date().nullable();

export const shiftRecord = z
  .strictObject({
    id,
    name: z.string(),
    timeZone: z.string().meta({ description: "The IANA name of the zone in whose local time the shift recurs" }),
    startTime: timeOfDay.meta({ description: "The local time at which a duty begins, `HH:MM`" }),
    endTime: timeOfDay.meta({
      description:
        "The local time at which it ends; a time at or before `startTime` is on the next day, and equal times mean a whole day",
    }),
    daysOfWeek: z.array(DAY_OF_WEEK).meta({ description: "The local days on which a duty begins" }),
    userIds: z.array(id).meta({ description: "The users on duty" }),
    validFrom: date.meta({ description: "The first local day on which a duty begins; null for no bound" }),
    validUntil: date.meta({ description: "The last local day on which a duty begins; null for no bound" }),
    groupIds: z.array(id).meta({ description: "The groups that have the shift" }),
    onDuty: z.boolean().meta({ description: "Whether it is on duty at the time of the answer" }),
  })
  .meta({ id: "Shift" });

export const SHIFT_EXAMPLE = {
  id: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d0e",
  name: "Nights, week",
  timeZone: "Europe/Berlin",
  startTime: "22:00",
  endTime: "06:00",
  daysOfWeek: ["mon", "tue", "wed", "thu"],
  userIds: ["0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d"],
  validFrom: "2026-11-01",
  validUntil: null,
  groupIds: ["0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d"],
  onDuty: false,
};

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
  description:
    "The tenant's shifts, newest first. They are created in the admin app, or in the service's shell with `muster shift create`.",
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
