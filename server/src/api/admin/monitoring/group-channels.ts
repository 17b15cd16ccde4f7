import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { NOTIFY } from "../../named-shapes.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, nullableTimestamp, timestamp } from "../../shapes.ts";
import { channel } from "../../v1/groups.ts";

const TAG = "Groups";
const target = channel.shape.target.meta({ description: "The address, exactly as in the group" });

export const channelState = z.enum(["confirmed", "requested", "expired", "waiting", "disabled"]).meta({
  description:
    "`confirmed`: it is used. `requested`: its receiver has a link to confirm it. `expired`: that link is no longer valid. `waiting`: a link will be sent. `disabled`: it answered 410, so nothing is sent there",
});

export const obstacle = z
  .enum(["no_mail_server"])
  .nullable()
  .meta({ description: "Why nothing can be sent there now: `no_mail_server`, the installation has none" });

const groupChannel = z
  .strictObject({
    ...channel.shape,
    state: channelState,
    requestedAt: nullableTimestamp.meta({ description: "When the last link was sent" }),
    expiresAt: nullableTimestamp.meta({ description: "When that link expires" }),
    confirmedAt: nullableTimestamp,
    failingSince: nullableTimestamp.meta({ description: "Since when every attempt to send there has failed" }),
    lastError: z.string().nullable(),
    name: z.string().nullable().meta({ description: "The name of a chat or paging service" }),
    service: z.string().nullable().meta({ description: "The service, such as `Slack`" }),
    obstacle,
  })
  .meta({ id: "GroupChannel" });

export const testMessage = z
  .strictObject({
    id,
    ...channel.shape,
    target: z.string(),
    channel: channel.shape.type,
    at: timestamp,
    state: z.enum(["pending", "sent", "failed"]),
    error: z.string().nullable().meta({ description: "Why the last attempt failed" }),
    obstacle,
  })
  .omit({ type: true })
  .meta({ id: "TestMessage" });

export const listGroupChannels = adminRoute({
  useCase: notificationUseCases.listGroupChannels,
  operationId: "listGroupChannels",
  method: "GET",
  path: "/api/admin/groups/{id}/channels",
  tag: TAG,
  summary: "Show whether a group's channels are used",
  description: "The state of each channel, in the order of the group.",
  params: idParams,
  status: 200,
  response: z.strictObject({ items: z.array(groupChannel) }).meta({ id: "GroupChannels" }),
  errors: ["not_found"],
  volatile: ["items"],
  examples: {
    response: {
      items: [
        {
          type: "email",
          target: "pumps@acme.example",
          state: "requested",
          requestedAt: "2026-11-20T10:00:00.000Z",
          expiresAt: "2026-11-23T10:00:00.000Z",
          confirmedAt: null,
          failingSince: null,
          lastError: null,
          name: null,
          service: null,
          obstacle: null,
        },
      ],
    },
  },
  handler: async (caller, { params }, listGroupChannels) => ({ items: await listGroupChannels(caller, params.id) }),
});

export const requestConfirmation = adminRoute({
  useCase: notificationUseCases.requestConfirmation,
  operationId: "requestConfirmation",
  method: "POST",
  path: "/api/admin/groups/{id}/channels/confirmation",
  tag: TAG,
  summary: "Send the confirmation of a channel again",
  description:
    "Sends another link to an unconfirmed channel, as soon as the caps on links permit. A confirmed channel does not change.",
  params: idParams,
  body: z.strictObject({ target }).meta({ id: "ChannelOfGroup" }),
  status: 200,
  response: z.strictObject({ confirmed: z.boolean() }).meta({ id: "ConfirmationRequested" }),
  errors: ["not_found"],
  examples: { body: { target: "pumps@acme.example" }, response: { confirmed: false } },
  handler: (caller, { params, body }, requestConfirmation) =>
    requestConfirmation(caller, { groupId: params.id, target: body.target }),
});

export const showWebhook = adminRoute({
  useCase: notificationUseCases.showWebhook,
  operationId: "showWebhook",
  method: "POST",
  path: "/api/admin/groups/{id}/webhook",
  tag: TAG,
  summary: "Show the secret of a webhook",
  description:
    "The key that signs messages to this webhook of the group (Standard Webhooks). `enable` re-enables a disabled webhook.",
  params: idParams,
  body: z.strictObject({ target, enable: z.boolean().optional() }).meta({ id: "WebhookOfGroup" }),
  status: 200,
  response: z.strictObject({ secret: z.string(), disabled: z.boolean() }).meta({ id: "WebhookSecret" }),
  secret: true,
  errors: ["not_found"],
  examples: {
    body: { target: "https://hooks.acme.example/pumps" },
    response: { secret: "whsec_…", disabled: false },
  },
  handler: (caller, { params, body }, showWebhook) => showWebhook(caller, { groupId: params.id, ...body }),
});

export const testGroup = adminRoute({
  useCase: notificationUseCases.testGroup,
  operationId: "testGroup",
  method: "POST",
  path: "/api/admin/groups/{id}/test",
  tag: TAG,
  summary: "Send a test message to a group",
  description:
    "Sends a test message to the recipients that an escalation step would page now. A group is tested at most once per minute. `GET /api/admin/groups/{id}/tests` shows the outcome of the messages.",
  params: idParams,
  body: z.strictObject({ notify: NOTIFY }).meta({ id: "GroupTest" }),
  status: 200,
  response: z
    .strictObject({
      recipients: z.int().min(0),
      messages: z.int().min(0).meta({
        description: "Fewer than `recipients` if the tenant's messages of this minute are used up",
      }),
    })
    .meta({ id: "GroupTestStarted" }),
  errors: ["not_found"],
  examples: { body: { notify: "channels" }, response: { recipients: 2, messages: 2 } },
  handler: (caller, { params, body }, testGroup) => testGroup(caller, params.id, body.notify),
});

export const listGroupTests = adminRoute({
  useCase: notificationUseCases.listGroupTests,
  operationId: "listGroupTests",
  method: "GET",
  path: "/api/admin/groups/{id}/tests",
  tag: TAG,
  summary: "Show the outcome of test messages",
  description: "The newest test messages of the group, newest first.",
  params: idParams,
  status: 200,
  response: z.strictObject({ items: z.array(testMessage) }).meta({ id: "GroupTests" }),
  errors: ["not_found"],
  volatile: ["items"],
  examples: {
    response: {
      items: [
        {
          id: "0199c1c8-0000-7a11-9c22-5e6f7a8b9c0d",
          channel: "email",
          target: "pumps@acme.example",
          at: "2026-11-20T10:00:00.000Z",
          state: "sent",
          error: null,
          obstacle: null,
        },
      ],
    },
  },
  handler: async (caller, { params }, listGroupTests) => ({ items: await listGroupTests(caller, params.id) }),
});
