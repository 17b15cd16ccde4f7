import { z } from "zod";
import { type CommandRecord, commandUseCases } from "../../../commands/commands.ts";
import { broker } from "../../../lib/limits/broker.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, page, paging, pathId, timestamp } from "../../shapes.ts";

const TAG = "Devices";
const PATH = "/api/admin/devices/{id}/commands";

const command = z
  .strictObject({
    id,
    deviceId: z.string(),
    topic: z.string(),
    payload: z.string(),
    createdAt: timestamp,
    createdBy: z.string().meta({ description: "As in the audit: `user:<id>`, or `system` for the shell" }),
    expiresAt: timestamp,
  })
  .meta({ id: "DeviceCommand" });

const EXAMPLE = {
  id: "0199c1c9-2222-7a11-9c22-5e6f7a8b9c0d",
  deviceId: "pump-1",
  topic: "t/acme/commands/pump-1",
  payload: '{"valve":"open"}',
  createdAt: "2026-11-20T09:00:00.000Z",
  createdBy: "user:0199c1c9-3333-7a11-9c22-5e6f7a8b9c0d",
  expiresAt: "2026-11-21T09:00:00.000Z",
};

/** Returns the fields of a pending command. */
function shown({ encoding: _, state: __, sentAt: ___, endedAt: ____, ...command }: CommandRecord) {
  return command;
}

export const sendCommand = adminRoute({
  useCase: commandUseCases.sendCommand,
  operationId: "sendCommand",
  method: "POST",
  path: PATH,
  tag: TAG,
  summary: "Send a command to a device",
  description:
    "Queues a message. The device gets it with QoS 1 as soon as it subscribes to the topic with QoS 1 or 2: immediately if it already does, otherwise when it connects. The message waits until the device acknowledges it, or until it expires. Commands to more than five different devices since the last step-up need another one.",
  params: idParams,
  body: z
    .strictObject({
      topic: z
        .string()
        .min(1)
        .max(broker.mqttTopicBytes.value)
        .meta({ description: "A full topic, `t/<slug>/…`, that the device type lists for subscriptions" }),
      payload: z.string().meta({ description: "Text, sent as UTF-8" }),
      expiresInMinutes: z.int().optional().meta({ description: "One day by default" }),
    })
    .meta({ id: "DeviceCommandCreate" }),
  status: 201,
  response: command,
  errors: ["not_found", "quota_exceeded"],
  examples: { body: { topic: EXAMPLE.topic, payload: EXAMPLE.payload, expiresInMinutes: 60 }, response: EXAMPLE },
  handler: async (caller, { params, body }, sendCommand) => shown(await sendCommand(caller, params.id, body)),
});

export const listCommands = adminRoute({
  useCase: commandUseCases.listCommands,
  operationId: "listCommands",
  csv: "commands",
  method: "GET",
  path: PATH,
  tag: TAG,
  summary: "List a device's waiting commands",
  description: "Commands that the device has not acknowledged and that have not expired, oldest first.",
  params: idParams,
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(command),
  errors: ["not_found"],
  examples: { response: { items: [EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: async (caller, { params, query }, listCommands) => {
    const { items, ...rest } = await listCommands(caller, params.id, query);
    return { items: items.map(shown), ...rest };
  },
});

export const cancelCommand = adminRoute({
  useCase: commandUseCases.cancelCommand,
  operationId: "cancelCommand",
  method: "DELETE",
  path: `${PATH}/{commandId}`,
  tag: TAG,
  summary: "Cancel a device's waiting command",
  description: "A command that was sent but not acknowledged may have reached the device.",
  params: z.strictObject({ id: pathId, commandId: pathId }),
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, cancelCommand) => cancelCommand(caller, params.id, params.commandId),
});
