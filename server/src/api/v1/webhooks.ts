import { z } from "zod";
import { LIMITS } from "../../groups/groups.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { notificationUseCases } from "../../notifications/notifications.ts";
import { ATTEMPT_STATE, WEBHOOK_CHECK_TYPE, WEBHOOK_STATE } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, nullableTimestamp, offsetPaging, page, timestamp } from "../shapes.ts";

const TAG = "Webhooks";
const HOURS = DEFAULT_LIMITS.formerSecretHours;

const webhookId = id.meta({ description: "Derived from group and address: the same webhook always has the same id" });
const check = z
  .strictObject({
    type: WEBHOOK_CHECK_TYPE,
    at: timestamp,
    state: ATTEMPT_STATE,
    error: z.string().nullable().meta({ description: "Why the last attempt failed" }),
  })
  .meta({ id: "WebhookCheck" });

const fields = {
  id: webhookId,
  groupId: id,
  url: z.string(),
  state: WEBHOOK_STATE,
  requestedAt: nullableTimestamp.meta({ description: "When the receiver was last asked to confirm it" }),
  expiresAt: nullableTimestamp.meta({ description: "The end of the time to answer" }),
  confirmedAt: nullableTimestamp,
  disabledAt: nullableTimestamp,
  formerSecretUntil: nullableTimestamp.meta({
    description: "Until then messages are also signed with the previous secret; `null`: with one secret",
  }),
  lastCheck: check.nullable().meta({
    description:
      "The newest confirmation request or test since the webhook was added, with its outcome; `null` if there was none, for example because the address was already confirmed, and after 30 days",
  }),
  createdAt: timestamp,
};

const webhook = z.strictObject(fields).meta({ id: "Webhook" });

const withSecret = z
  .strictObject({
    ...fields,
    secret: z.string().meta({
      description:
        "The secret that signs messages from now on (Standard Webhooks: `whsec_` and the key in base64), shown only in this answer",
    }),
  })
  .meta({ id: "WebhookWithSecret" });

const WEBHOOK_EXAMPLE = {
  id: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d-3f6d1c0a9b8e7d6c5b4a392817160504",
  groupId: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  url: "https://hooks.acme.example/pumps",
  state: "confirmed",
  requestedAt: "2026-11-20T10:00:00.000Z",
  expiresAt: "2026-11-23T10:00:00.000Z",
  confirmedAt: "2026-11-20T10:00:01.000Z",
  disabledAt: null,
  formerSecretUntil: null,
  lastCheck: { type: "webhook.test", at: "2026-11-20T10:05:00.000Z", state: "sent", error: null },
  createdAt: "2026-11-20T10:00:00.000Z",
};
const NEW_EXAMPLE = {
  ...WEBHOOK_EXAMPLE,
  state: "waiting",
  requestedAt: null,
  expiresAt: null,
  confirmedAt: null,
  lastCheck: null,
};
const SECRET_EXAMPLE = "whsec_…";

/** Fields that change without a write. */
const VOLATILE = ["state", "requestedAt", "expiresAt", "confirmedAt", "disabledAt", "formerSecretUntil", "lastCheck"];

export const listWebhooks = publicRoute({
  useCase: notificationUseCases.listWebhooks,
  operationId: "listWebhooks",
  method: "GET",
  path: "/api/v1/webhooks",
  tag: TAG,
  summary: "List webhooks",
  description: "The webhooks of the tenant's groups, newest first. Secrets are never listed.",
  query: z.strictObject({ groupId: id.optional(), ...offsetPaging(50, 200) }),
  status: 200,
  response: page(webhook),
  errors: [],
  examples: { response: { items: [WEBHOOK_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listWebhooks) => listWebhooks(caller, query),
});

export const createWebhook = publicRoute({
  useCase: notificationUseCases.createWebhook,
  operationId: "createWebhook",
  method: "POST",
  path: "/api/v1/webhooks",
  tag: TAG,
  summary: "Add a webhook to a group",
  description: `Adds the address to the group's channels: once its receiver has confirmed it, it gets the group's pages of steps that notify channels. To confirm, the receiver answers the signed message \`channel.confirmation\` with its \`challenge\`, as text or as \`{"challenge": "…"}\`. An address that is confirmed for the tenant, by another group or within the last 30 days, needs no confirmation. The secret is shown only in this answer. A group has at most ${LIMITS.channelsOfGroup} channels.`,
  body: z
    .strictObject({
      groupId: id,
      url: z
        .string()
        .min(1)
        .max(LIMITS.targetCharacters)
        .meta({ description: "An https address of the public internet, without user name, password or fragment" }),
    })
    .meta({ id: "WebhookCreate" }),
  status: 201,
  response: withSecret,
  secret: true,
  errors: ["already_exists", "quota_exceeded"],
  examples: {
    body: { groupId: WEBHOOK_EXAMPLE.groupId, url: WEBHOOK_EXAMPLE.url },
    response: { ...NEW_EXAMPLE, secret: SECRET_EXAMPLE },
  },
  handler: (caller, { body }, createWebhook) => createWebhook(caller, body),
});

export const getWebhook = publicRoute({
  useCase: notificationUseCases.getWebhook,
  operationId: "getWebhook",
  method: "GET",
  path: "/api/v1/webhooks/{id}",
  tag: TAG,
  summary: "Get a webhook",
  description: "One webhook, with the state of its confirmation and of its last test, but without its secret.",
  params: idParams,
  status: 200,
  response: webhook,
  errors: ["not_found"],
  volatile: VOLATILE,
  examples: { response: WEBHOOK_EXAMPLE },
  handler: (caller, { params }, getWebhook) => getWebhook(caller, params.id),
});

export const deleteWebhook = publicRoute({
  useCase: notificationUseCases.deleteWebhook,
  operationId: "deleteWebhook",
  method: "DELETE",
  path: "/api/v1/webhooks/{id}",
  tag: TAG,
  summary: "Remove a webhook from its group",
  description:
    "Nothing more is sent there, not even waiting messages; a message being sent at the moment may still arrive. If the webhook is added again, it has another secret.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteWebhook) => deleteWebhook(caller, params.id),
});

export const rotateWebhookSecret = publicRoute({
  useCase: notificationUseCases.rotateWebhookSecret,
  operationId: "rotateWebhookSecret",
  method: "POST",
  path: "/api/v1/webhooks/{id}/secret",
  tag: TAG,
  summary: "Replace a webhook's secret",
  description: `The new secret is shown only in this answer. For ${HOURS} hours messages are also signed with the previous one: \`webhook-signature\` then has two signatures, and a receiver accepts a message if either is valid. After a secret has leaked, make the receiver accept only the new one immediately.`,
  params: idParams,
  status: 200,
  response: withSecret,
  secret: true,
  errors: ["not_found"],
  examples: {
    response: { ...WEBHOOK_EXAMPLE, formerSecretUntil: "2026-11-21T10:00:00.000Z", secret: SECRET_EXAMPLE },
  },
  handler: (caller, { params }, rotateWebhookSecret) => rotateWebhookSecret(caller, params.id),
});

export const testWebhook = publicRoute({
  useCase: notificationUseCases.testWebhook,
  operationId: "testWebhook",
  method: "POST",
  path: "/api/v1/webhooks/{id}/test",
  tag: TAG,
  summary: "Send a test message to a webhook",
  description:
    "Sends a signed message `webhook.test` along the path of pages and under the same caps, at most once per minute. `lastCheck` shows its outcome: read the webhook again. A webhook that is unconfirmed or disabled is `409 webhook_inactive`.",
  params: idParams,
  status: 200,
  response: webhook,
  errors: ["not_found", "webhook_inactive"],
  examples: { response: { ...WEBHOOK_EXAMPLE, lastCheck: { ...WEBHOOK_EXAMPLE.lastCheck, state: "pending" } } },
  handler: (caller, { params }, testWebhook) => testWebhook(caller, params.id),
});

export const enableWebhook = publicRoute({
  useCase: notificationUseCases.enableWebhook,
  operationId: "enableWebhook",
  method: "POST",
  path: "/api/v1/webhooks/{id}/enable",
  tag: TAG,
  summary: "Enable a webhook again",
  description:
    "Resumes messages to an address that answered `410`, in every group that has it. Failed messages are not resent. An address that merely fails needs no action: it is retried automatically, after pauses of at most five minutes.",
  params: idParams,
  status: 200,
  response: webhook,
  errors: ["not_found"],
  examples: { response: WEBHOOK_EXAMPLE },
  handler: (caller, { params }, enableWebhook) => enableWebhook(caller, params.id),
});

export const requestWebhookConfirmation = publicRoute({
  useCase: notificationUseCases.requestWebhookConfirmation,
  operationId: "requestWebhookConfirmation",
  method: "POST",
  path: "/api/v1/webhooks/{id}/confirmation",
  tag: TAG,
  summary: "Send another confirmation request for a webhook",
  description: `Sends \`channel.confirmation\` again, with another challenge, as soon as the caps permit: ${DEFAULT_LIMITS.confirmationsPerAddress} per day to one address. A confirmed webhook does not change.`,
  params: idParams,
  status: 200,
  response: webhook,
  errors: ["not_found"],
  examples: { response: NEW_EXAMPLE },
  handler: (caller, { params }, requestWebhookConfirmation) => requestWebhookConfirmation(caller, params.id),
});
