import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, label, nullableTimestamp } from "../../shapes.ts";
import { channel } from "../../v1/groups.ts";
import { channelState, testMessage } from "./group-channels.ts";

const TAG = "Notifications";

const choices = z.strictObject({
  accountEmail: z.boolean().meta({
    description: "Whether messages go to the account's address. Without a usable channel they always do",
  }),
  quietHours: z
    .strictObject({
      startTime: z.string().meta({ description: "`HH:MM`, local" }),
      endTime: z.string().meta({ description: "`HH:MM`, local; before `startTime` it is on the next day" }),
      timeZone: z.string().meta({ description: "IANA name" }),
    })
    .nullable()
    .meta({ description: "Quiet hours of every day; held back messages are sent when they end, if they still matter" }),
  onlyOnShift: z.boolean().meta({ description: "Receive pages of a group only while on duty on one of its shifts" }),
  criticalToo: z
    .boolean()
    .meta({ description: "Whether the choices also hold back critical pages, if the group permits it" }),
});

const ownChannel = z
  .strictObject({
    id,
    ...channel.shape,
    state: channelState,
    requestedAt: nullableTimestamp.meta({ description: "When the last link was sent" }),
    expiresAt: nullableTimestamp.meta({ description: "When that link expires" }),
    confirmedAt: nullableTimestamp,
  })
  .meta({ id: "OwnChannel" });

const CHOICES = {
  accountEmail: true,
  quietHours: { startTime: "22:00", endTime: "06:00", timeZone: "Europe/Berlin" },
  onlyOnShift: false,
  criticalToo: false,
};

export const getOwnNotifications = adminRoute({
  useCase: notificationUseCases.getOwnNotifications,
  operationId: "getOwnNotifications",
  method: "GET",
  path: "/api/admin/notifications",
  tag: TAG,
  summary: "Show how you are notified",
  description: "The signed-in user's own channels and quiet choices.",
  status: 200,
  response: z
    .strictObject({ email: z.string(), ...choices.shape, channels: z.array(ownChannel) })
    .meta({ id: "OwnNotifications" }),
  errors: [],
  volatile: ["channels"],
  examples: {
    response: {
      email: "ada@acme.example",
      ...CHOICES,
      channels: [
        {
          id: "0199c1c9-0000-7a11-9c22-5e6f7a8b9c0d",
          type: "email",
          target: "ada@home.example",
          state: "confirmed",
          requestedAt: "2026-11-20T10:00:00.000Z",
          expiresAt: "2026-11-23T10:00:00.000Z",
          confirmedAt: "2026-11-20T10:01:00.000Z",
        },
      ],
    },
  },
  handler: (caller, _input, getOwnNotifications) => getOwnNotifications(caller),
});

export const setOwnNotifications = adminRoute({
  useCase: notificationUseCases.setOwnNotifications,
  operationId: "setOwnNotifications",
  method: "PUT",
  path: "/api/admin/notifications",
  tag: TAG,
  summary: "Choose when you are notified",
  description:
    "Replaces the signed-in user's quiet choices. A page that a group always sends (`alwaysPages`) is not held back. Held back messages are in the message log, and escalation continues.",
  body: choices.meta({ id: "NotificationChoices" }),
  status: 200,
  response: choices.meta({ id: "ChosenNotifications" }),
  errors: [],
  examples: { body: CHOICES, response: CHOICES },
  handler: (caller, { body }, setOwnNotifications) => setOwnNotifications(caller, body),
});

export const addOwnChannel = adminRoute({
  useCase: notificationUseCases.addOwnChannel,
  operationId: "addOwnChannel",
  method: "POST",
  path: "/api/admin/notifications/channels",
  tag: TAG,
  summary: "Add a channel of your own",
  description:
    "The channel is used once its receiver has confirmed it. For an existing, unconfirmed channel another link is sent. The secret of a new webhook is shown only now.",
  body: z.strictObject(channel.shape).meta({ id: "OwnChannelCreate" }),
  status: 201,
  response: z
    .strictObject({
      id,
      secret: z
        .string()
        .nullable()
        .meta({ description: "The key that signs messages to a new webhook (Standard Webhooks)" }),
    })
    .meta({ id: "AddedChannel" }),
  secret: true,
  errors: [],
  examples: {
    body: { type: "webhook", target: "https://hooks.home.example/ada" },
    response: { id: "0199c1c9-0000-7a11-9c22-5e6f7a8b9c0d", secret: "whsec_…" },
  },
  handler: (caller, { body }, addOwnChannel) => addOwnChannel(caller, body),
});

export const getPushKey = adminRoute({
  useCase: notificationUseCases.getPushKey,
  operationId: "getPushKey",
  method: "GET",
  path: "/api/admin/notifications/push",
  tag: TAG,
  summary: "Get the key for push subscriptions",
  description: "The `applicationServerKey` with which a browser subscribes (RFC 8292), in base64url.",
  status: 200,
  response: z.strictObject({ publicKey: z.string() }).meta({ id: "PushKey" }),
  errors: [],
  volatile: ["publicKey"],
  examples: { response: { publicKey: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml…" } },
  handler: (caller, _input, getPushKey) => getPushKey(caller),
});

export const addOwnPush = adminRoute({
  useCase: notificationUseCases.addOwnPush,
  operationId: "addOwnPush",
  method: "POST",
  path: "/api/admin/notifications/push",
  tag: TAG,
  summary: "Add your browser as a channel",
  description:
    "Adds the browser's push subscription. It is used once the link in its first notification is confirmed, within ten minutes.",
  body: z
    .strictObject({
      endpoint: z.string().max(1_024),
      p256dh: z.string().max(100),
      auth: z.string().max(40),
      name: label().meta({ description: "The browser as you know it" }),
    })
    .meta({ id: "PushSubscription" }),
  status: 201,
  response: z.strictObject({ id }).meta({ id: "AddedBrowser" }),
  errors: [],
  examples: {
    body: { endpoint: "https://push.example/s/1", p256dh: "BCVxsr7N…", auth: "BTBZMqHH…", name: "Phone" },
    response: { id: "0199c1c9-0000-7a11-9c22-5e6f7a8b9c0d" },
  },
  handler: (caller, { body }, addOwnPush) => addOwnPush(caller, body),
});

export const removeOwnChannel = adminRoute({
  useCase: notificationUseCases.removeOwnChannel,
  operationId: "removeOwnChannel",
  method: "DELETE",
  path: "/api/admin/notifications/channels/{id}",
  tag: TAG,
  summary: "Remove a channel of your own",
  description: "Nothing more is sent there. Removing an unknown channel changes nothing.",
  params: idParams,
  status: 204,
  errors: [],
  examples: {},
  handler: (caller, { params }, removeOwnChannel) => removeOwnChannel(caller, params.id),
});

export const testOwnNotifications = adminRoute({
  useCase: notificationUseCases.testOwnNotifications,
  operationId: "testOwnNotifications",
  method: "POST",
  path: "/api/admin/notifications/test",
  tag: TAG,
  summary: "Send yourself a test message",
  description:
    "Sends a test message to every address at which you are notified, regardless of your quiet choices. `GET /api/admin/notifications/tests` shows the outcome of the messages.",
  status: 200,
  response: z.strictObject({ recipients: z.int().min(1) }).meta({ id: "OwnTestStarted" }),
  errors: [],
  examples: { response: { recipients: 2 } },
  handler: (caller, _input, testOwnNotifications) => testOwnNotifications(caller),
});

export const listOwnTests = adminRoute({
  useCase: notificationUseCases.listOwnTests,
  operationId: "listOwnTests",
  method: "GET",
  path: "/api/admin/notifications/tests",
  tag: TAG,
  summary: "Show the outcome of your test messages",
  description: "The newest test messages, newest first.",
  status: 200,
  response: z.strictObject({ items: z.array(testMessage) }).meta({ id: "OwnTests" }),
  errors: [],
  volatile: ["items"],
  examples: {
    response: {
      items: [
        {
          id: "0199c1c8-0000-7a11-9c22-5e6f7a8b9c0d",
          channel: "email",
          target: "ada@acme.example",
          at: "2026-11-20T10:00:00.000Z",
          state: "sent",
          error: null,
          obstacle: null,
        },
      ],
    },
  },
  handler: async (caller, _input, listOwnTests) => ({ items: await listOwnTests(caller) }),
});
