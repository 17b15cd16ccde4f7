import { z } from "zod";
import { LIMITS } from "../../../groups/groups.ts";
import { records } from "../../../lib/limits/records.ts";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { NOTIFY, SEVERITY } from "../../named-shapes.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, timestamp } from "../../shapes.ts";
import { newEscalationStep } from "../groups.ts";
import { shiftFields } from "../shifts.ts";
import { span } from "./coverage.ts";
import { givenRecurrence } from "./maintenance-windows.ts";

const { externalId: _, ...newShiftFields } = shiftFields;

const replayRequest = z
  .strictObject({
    from: instant.meta({ description: "The inclusive start of the period, at most 92 days before its end" }),
    to: instant.meta({ description: "The exclusive end of the period" }),
    escalation: z
      .array(newEscalationStep)
      .max(LIMITS.stepsOfGroup)
      .optional()
      .meta({ description: "The steps of the group instead of its own" }),
    shiftIds: z
      .array(z.string().max(128))
      .max(LIMITS.shiftsOfGroup)
      .optional()
      .meta({ description: "The existing shifts of the group; with `shifts`, instead of its own" }),
    shifts: z
      .array(z.strictObject(newShiftFields).meta({ id: "ReplayedShift" }))
      .max(LIMITS.shiftsOfGroup)
      .optional()
      .meta({ description: "Shifts that do not exist" }),
    windows: z
      .array(
        z
          .strictObject({
            startsAt: instant.optional(),
            endsAt: instant.optional(),
            recurrence: givenRecurrence.optional(),
            holdsCritical: z.boolean().optional(),
          })
          .meta({ id: "ReplayedWindow", description: "Over all devices of the group, once or recurring" }),
      )
      .max(records.replayedWindows.value)
      .optional()
      .meta({ description: "Maintenance windows in addition to the existing ones" }),
    causeWaitMinutes: z
      .int()
      .min(0)
      .max(10)
      .optional()
      .meta({ description: "The minutes for which the page of a silent device waits for others" }),
  })
  .meta({ id: "ReplayRequest" });

const count = z.int().min(0);
const person = z
  .strictObject({
    userId: id,
    pages: count,
    pagesAtNight: count.meta({ description: "Between 22:00 and 06:00 in the zone of the shift" }),
    nights: count.meta({ description: "The nights with a page" }),
  })
  .meta({ id: "ReplayedPerson" });

const outcome = z
  .strictObject({
    pages: count.meta({ description: "The pages to people: one for each person and step" }),
    pagesAtNight: count,
    channelPages: count.meta({ description: "The messages to channels of the group" }),
    paged: count.meta({ description: "The anomalies of which somebody was told" }),
    unreached: count.meta({ description: "The anomalies of which nobody was told, although a step was due" }),
    held: count.meta({ description: "The anomalies without a page: they ended first, or another page stood for them" }),
    medianSeconds: z
      .number()
      .nullable()
      .meta({ description: "From an anomaly to its first page; null without a page" }),
    uncoveredHours: z.number().min(0),
    gaps: z.array(span).meta({ description: "The times in which an anomaly reaches nobody" }),
    people: z.array(person).meta({ description: "Most pages first" }),
  })
  .meta({ id: "ReplayOutcome" });

const replayedPage = z
  .strictObject({
    at: timestamp,
    anomalyId: id,
    deviceId: z.string(),
    deviceName: z.string(),
    severity: SEVERITY,
    openedAt: timestamp,
    afterMinutes: count,
    notify: NOTIFY,
    userId: id.nullable().meta({ description: "Null for a channel of the group, and if nobody was reached" }),
    result: z.enum(["paged", "deferred", "nobody"]).meta({ id: "ReplayResult" }),
    atNight: z.boolean(),
  })
  .meta({ id: "ReplayedPage" });

const replay = z
  .strictObject({
    anomalies: count.meta({ description: "The number of replayed anomalies" }),
    cut: z.boolean().meta({ description: "Whether a limit was reached, so that the last anomalies are left out" }),
    present: outcome,
    changed: outcome,
    pages: z.array(replayedPage).meta({
      description: `The pages under the changed configuration, by time; the first ${records.replayedPages.value}`,
    }),
  })
  .meta({ id: "Replay" });

const REPLAY =
  "Whom the group's escalation would have paged about the anomalies of a past period: under its present configuration, and under a changed one. Absent fields stay as they are. Both apply the rules of live paging to the devices, people, windows, overrides and absences of today; anomalies end when they did. Snoozes, mutes, dependencies of devices and the last resort are left out. Windows, overrides, absences and outages are deleted after 30 days, so that a replay of an older period lacks them. Causes are not searched for: a longer wait groups only the outages that were found. Nothing is stored or sent.";

const NONE = { channelPages: 0, unreached: 0, held: 0, uncoveredHours: 0, gaps: [] };
const ADA = "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d";
const REPLAY_BODY = {
  from: "2026-11-01T00:00:00Z",
  to: "2026-11-08T00:00:00Z",
  escalation: [{ afterMinutes: 10, notify: "shift" as const }],
};
const REPLAY_EXAMPLE = {
  anomalies: 3,
  cut: false,
  present: {
    ...NONE,
    ...{ pages: 3, pagesAtNight: 2, paged: 3, medianSeconds: 0 },
    people: [{ userId: ADA, pages: 3, pagesAtNight: 2, nights: 2 }],
  },
  changed: {
    ...NONE,
    ...{ pages: 1, pagesAtNight: 0, paged: 1, medianSeconds: 600 },
    people: [{ userId: ADA, pages: 1, pagesAtNight: 0, nights: 0 }],
  },
  pages: [
    {
      at: "2026-11-03T12:10:00.000Z",
      anomalyId: "0199c1c5-1a00-7e77-8899-aabbccddeeff",
      deviceId: "pump-1",
      deviceName: "Pump 1",
      severity: "major" as const,
      openedAt: "2026-11-03T12:00:00.000Z",
      afterMinutes: 10,
      notify: "shift" as const,
      userId: ADA,
      result: "paged" as const,
      atNight: false,
    },
  ],
};

export const replayPaging = publicRoute({
  useCase: notificationUseCases.replayPaging,
  operationId: "replayPaging",
  method: "POST",
  path: "/api/v1/groups/{id}/replay",
  tag: "Groups",
  summary: "Replay the pages of a past period",
  description: REPLAY,
  params: idParams,
  body: replayRequest,
  status: 200,
  response: replay,
  safe: true,
  errors: ["not_found"],
  examples: { body: REPLAY_BODY, response: REPLAY_EXAMPLE },
  handler: (caller, { params, body }, replayPaging) => replayPaging(caller, params.id, body),
});
