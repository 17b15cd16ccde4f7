import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, timestamp } from "../../shapes.ts";

const TAG = "Shifts";
const FEEDS = "/api/admin/duties/feeds";

const feed = z
  .strictObject({
    id,
    groupId: id.nullable().meta({ description: "null for the signed-in user's own duties" }),
    createdAt: timestamp,
  })
  .meta({ id: "DutyFeed" });

const FEED = { id: "0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d14", groupId: null, createdAt: "2026-11-26T09:00:00.000Z" };

export const listFeeds = adminRoute({
  useCase: notificationUseCases.listFeeds,
  operationId: "listFeeds",
  method: "GET",
  path: FEEDS,
  tag: TAG,
  summary: "List your calendars",
  description: "The calendars of duties (iCalendar) for which the signed-in user has an address.",
  status: 200,
  response: z.strictObject({ items: z.array(feed) }).meta({ id: "DutyFeeds" }),
  errors: [],
  volatile: ["items"],
  examples: { response: { items: [FEED] } },
  handler: async (caller, _input, listFeeds) => ({ items: await listFeeds(caller) }),
});

export const createFeed = adminRoute({
  useCase: notificationUseCases.createFeed,
  operationId: "createFeed",
  method: "POST",
  path: FEEDS,
  tag: TAG,
  summary: "Create or renew the address of a calendar",
  description:
    "The address of an iCalendar of the signed-in user's duties, or of a group's. It is shown only now; a former address of the same calendar ends.",
  body: z.strictObject({ groupId: id.nullable().optional() }).meta({ id: "DutyFeedCreate" }),
  status: 201,
  response: feed
    .extend({ url: z.string().meta({ description: "Secret: whoever knows it reads the calendar" }) })
    .meta({ id: "NewDutyFeed" }),
  secret: true,
  errors: ["not_found"],
  examples: {
    body: { groupId: null },
    response: { ...FEED, url: "https://muster.example/calendar/Qh3cKb8YdJmW0u1rTzX4vA….ics" },
  },
  handler: (caller, { body }, createFeed) => createFeed(caller, body.groupId ?? null),
});

export const deleteFeed = adminRoute({
  useCase: notificationUseCases.deleteFeed,
  operationId: "deleteFeed",
  method: "DELETE",
  path: `${FEEDS}/{id}`,
  tag: TAG,
  summary: "End the address of a calendar",
  description: "Nobody can read the calendar at it any more.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteFeed) => deleteFeed(caller, params.id),
});
