import { z } from "zod";
import { notificationUseCases, TYPE_NAMES } from "../../../notifications/notifications.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, label, timestamp } from "../../shapes.ts";

const TAG = "Groups";

const type = z.enum(TYPE_NAMES).meta({ id: "IntegrationType" });
const settings = z
  .record(z.string().max(64), z.string().max(8_192))
  .meta({ description: "The settings by name, as `listChannelTypes` describes them" });

const integration = z
  .strictObject({
    id,
    type,
    name: z.string(),
    settings: settings.meta({ description: "The settings that are not secret" }),
    groups: z.array(z.strictObject({ id, name: z.string() })).meta({ description: "The groups that send to it" }),
    createdAt: timestamp,
  })
  .meta({ id: "Integration" });

const channelType = z
  .strictObject({
    type,
    label: z.string().meta({ description: "The name of the service" }),
    fields: z.array(
      z.strictObject({
        name: z.string(),
        kind: z.enum(["url", "line", "text", "choice"]),
        required: z.boolean(),
        secret: z.boolean().meta({ description: "Whether the value is encrypted, and never shown again" }),
        choices: z.array(z.string()),
        fallback: z.string().meta({ description: "The value of an empty field" }),
        example: z.string(),
      }),
    ),
  })
  .meta({ id: "ChannelTypeFields" });

const EXAMPLE = {
  id: "0199c1cc-0000-7a11-9c22-5e6f7a8b9c0d",
  type: "pagerduty" as const,
  name: "Pumps at PagerDuty",
  settings: { server: "https://events.pagerduty.com" },
  groups: [{ id: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d", name: "Pump hall" }],
  createdAt: "2026-11-20T10:00:00.000Z",
};

export const listChannelTypes = adminRoute({
  useCase: notificationUseCases.listChannelTypes,
  operationId: "listChannelTypes",
  method: "GET",
  path: "/api/admin/channel-types",
  tag: TAG,
  summary: "List the chat and paging services",
  description: "The services to which a group can send, with the settings of each.",
  status: 200,
  response: z.strictObject({ items: z.array(channelType) }).meta({ id: "ChannelTypes" }),
  errors: [],
  volatile: ["items"],
  examples: {
    response: {
      items: [
        {
          type: "slack",
          label: "Slack",
          fields: [
            {
              name: "webhookUrl",
              kind: "url",
              required: true,
              secret: true,
              choices: [],
              fallback: "",
              example: "https://hooks.slack.com/services/…",
            },
          ],
        },
      ],
    },
  },
  handler: async (caller, _input, listChannelTypes) => ({ items: await listChannelTypes(caller) }),
});

export const listIntegrations = adminRoute({
  useCase: notificationUseCases.listIntegrations,
  operationId: "listIntegrations",
  method: "GET",
  path: "/api/admin/integrations",
  tag: TAG,
  summary: "List chat and paging services",
  description: "The tenant's configured services, oldest first, without their secrets.",
  status: 200,
  response: z.strictObject({ items: z.array(integration) }).meta({ id: "Integrations" }),
  errors: [],
  volatile: ["items"],
  examples: { response: { items: [EXAMPLE] } },
  handler: async (caller, _input, listIntegrations) => ({ items: await listIntegrations(caller) }),
});

export const createIntegration = adminRoute({
  useCase: notificationUseCases.createIntegration,
  operationId: "createIntegration",
  method: "POST",
  path: "/api/admin/integrations",
  tag: TAG,
  summary: "Add a chat or paging service",
  description:
    'A group sends to it once it has the channel `{"type": "integration", "target": "<id>"}`, and a person has pressed the button in the test message within ten minutes.',
  body: z.strictObject({ type, name: label(), settings }).meta({ id: "IntegrationCreate" }),
  status: 201,
  response: integration,
  errors: ["quota_exceeded"],
  examples: {
    body: { type: "pagerduty", name: EXAMPLE.name, settings: { routingKey: "R02…" } },
    response: { ...EXAMPLE, groups: [] },
  },
  handler: (caller, { body }, createIntegration) => createIntegration(caller, body),
});

export const deleteIntegration = adminRoute({
  useCase: notificationUseCases.deleteIntegration,
  operationId: "deleteIntegration",
  method: "DELETE",
  path: "/api/admin/integrations/{id}",
  tag: TAG,
  summary: "Delete a chat or paging service",
  description: "Only one that no group names as a channel.",
  params: idParams,
  status: 204,
  errors: ["not_found", "in_use"],
  examples: {},
  handler: (caller, { params }, deleteIntegration) => deleteIntegration(caller, params.id),
});
