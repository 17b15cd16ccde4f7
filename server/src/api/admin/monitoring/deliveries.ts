import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { DELIVERY_STATES, notificationUseCases } from "../../../notifications/notifications.ts";
import { CHANNEL_TYPE, HELD, NOTIFY } from "../../named-shapes.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, instant, longPage, nullableTimestamp, paging, timestamp } from "../../shapes.ts";

import { obstacle } from "./group-channels.ts";

const TAG = "Notifications";

const state = z.enum(DELIVERY_STATES).meta({
  description:
    "`digested`: sent in one mail together with others. `failed`: not retried any more. `deferred`: held back by a quiet choice of the user",
});

const delivery = z
  .strictObject({
    id,
    type: z.string().meta({ description: "The subject of the message: `anomaly.opened`, `anomaly.resolved`, …" }),
    channel: CHANNEL_TYPE,
    target: z.string().meta({ description: "The e-mail address, or the address of the webhook" }),
    userId: id.nullable().meta({ description: "The recipient; `null` for a channel of the group" }),
    groupId: id.nullable(),
    anomalyId: id.nullable(),
    createdAt: timestamp,
    nextAt: timestamp.meta({ description: "While it is `pending`: the time of the next attempt" }),
    state,
    doneAt: nullableTimestamp,
    lastError: z.string().nullable(),
    obstacle,
    deferredBy: z
      .enum(["quiet_hours", "off_shift", "held"])
      .nullable()
      .meta({ description: "The quiet choice of the user that held it back" }),
    deferredUntil: nullableTimestamp.meta({
      description: "When that choice ends: if the message still matters, it is sent then as a new message",
    }),
    digestId: id.nullable().meta({ description: "The mail in which it was sent together with others" }),
    attempts: z.array(
      z.strictObject({
        attempt: z.int().min(1),
        at: z.iso.datetime({ offset: true }),
        error: z.string().nullable().meta({ description: "`null` if it was accepted" }),
      }),
    ),
  })
  .meta({ id: "Delivery" });

export const listDeliveries = adminRoute({
  useCase: notificationUseCases.listDeliveries,
  operationId: "listDeliveries",
  csv: "deliveries",
  method: "GET",
  path: "/api/admin/deliveries",
  tag: TAG,
  summary: "List sent messages",
  description:
    "Messages to people and webhooks, newest first, with every attempt. Users who are not admins see their own messages and those of their groups.",
  query: z.strictObject({
    anomalyId: id.optional(),
    groupId: id.optional(),
    channel: CHANNEL_TYPE.optional(),
    state: state.optional(),
    notState: state.optional(),
    from: instant.optional().meta({ description: "Created at this time or later" }),
    to: instant.optional().meta({ description: "Created before this time" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: longPage(delivery),
  errors: [],
  examples: {
    response: {
      items: [
        {
          id: "0199c1ca-0000-7a11-9c22-5e6f7a8b9c0d",
          type: "anomaly.opened",
          channel: "email",
          target: "ada@acme.example",
          userId: "0199c1c0-0000-7a11-9c22-5e6f7a8b9c0d",
          groupId: "0199c1c1-0000-7a11-9c22-5e6f7a8b9c0d",
          anomalyId: "0199c1c7-3333-7a11-9c22-5e6f7a8b9c0d",
          createdAt: "2026-11-20T10:20:01.000Z",
          nextAt: "2026-11-20T10:20:01.000Z",
          state: "sent",
          doneAt: "2026-11-20T10:20:02.000Z",
          lastError: null,
          obstacle: null,
          deferredBy: null,
          deferredUntil: null,
          digestId: null,
          attempts: [{ attempt: 1, at: "2026-11-20T10:20:02.000Z", error: null }],
        },
      ],
      total: 1,
      skip: 0,
      limit: 50,
    },
  },
  handler: (caller, { query }, listDeliveries) =>
    listDeliveries(caller, { ...query, countAhead: records.countedAhead.value }),
});

const pageOfAnomaly = z
  .strictObject({
    groupId: id,
    groupName: z.string(),
    afterMinutes: z.int().min(0),
    notify: NOTIFY,
    dueAt: timestamp,
    state: z.enum(["due", "paged", "nobody", "deferred", "stopped", "late"]).meta({
      description:
        "`due`: still to come. `stopped`: the anomaly was acknowledged or resolved before. `late`: it was due more than a day ago. `deferred`: quiet choices of all its recipients held it back, so the next step was due immediately. The sixth: the step had no recipients at the time",
    }),
    heldBy: HELD.nullable().meta({ description: "What puts the step off until `dueAt`" }),
  })
  .meta({ id: "EscalationPage" });

export const listPages = adminRoute({
  useCase: notificationUseCases.listPages,
  operationId: "listPages",
  method: "GET",
  path: "/api/admin/anomalies/{id}/pages",
  tag: "Anomalies",
  summary: "List the pages of an anomaly",
  description:
    "The escalation steps of the anomaly, including future ones, in the order in which they are due. Their messages are in `GET /api/admin/deliveries?anomalyId=…`.",
  params: idParams,
  status: 200,
  response: z.strictObject({ items: z.array(pageOfAnomaly) }).meta({ id: "EscalationPageList" }),
  errors: ["not_found"],
  examples: {
    response: {
      items: [
        {
          groupId: "0199c1c1-0000-7a11-9c22-5e6f7a8b9c0d",
          groupName: "Pump hall",
          afterMinutes: 0,
          notify: "shift",
          dueAt: "2026-11-20T10:20:00.000Z",
          state: "paged",
          heldBy: null,
        },
      ],
    },
  },
  handler: async (caller, { params }, listPages) => ({ items: await listPages(caller, params.id) }),
});
