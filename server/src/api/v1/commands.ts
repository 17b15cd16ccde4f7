import { z } from "zod";
import { commandUseCases } from "../../commands/commands.ts";
import { broker } from "../../lib/limits/broker.ts";
import { stored } from "../../lib/limits/stored.ts";
import { COMMAND_RESULT, PAYLOAD_ENCODING as encoding, COMMAND_STATE as state } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import {
  cursor,
  id,
  idParams,
  next,
  nullableTimestamp,
  page,
  pathId,
  strictLimit,
  strictPaging,
  timestamp,
} from "../shapes.ts";
import { BATCH_EXAMPLE, COMMAND_EXAMPLE, NEW_COMMAND_EXAMPLE, SENT_COMMAND_EXAMPLE } from "./command-examples.ts";

const TAG = "Commands";
const PATH = "/api/v1/devices/{id}/commands";

const command = z
  .strictObject({
    id,
    deviceId: z.string(),
    topic: z.string(),
    payload: z.string(),
    encoding: encoding.meta({ description: "`text` if the payload is UTF-8, else `base64`" }),
    state,
    createdAt: timestamp,
    createdBy: z.string().meta({ description: "`apikey:<id>`, `user:<id>`, or `system` for the shell" }),
    expiresAt: timestamp,
    sentAt: nullableTimestamp,
    endedAt: nullableTimestamp.meta({ description: "When it was acknowledged, cancelled or expired" }),
  })
  .meta({ id: "Command" });

const newCommand = {
  topic: z.string().min(1).max(broker.mqttTopicBytes.value),
  payload: z
    .string()
    .max(Math.ceil(stored.commandBytes.value * 2))
    .meta({ description: "Text, or base64 as `encoding` says" }),
  encoding: encoding.optional().meta({ description: "`text` by default, sent as UTF-8" }),
  expiresInMinutes: z.int().optional().meta({ description: "One day by default, at most a week" }),
};

const commandCreate = z
  .strictObject({
    ...newCommand,
    topic: newCommand.topic.meta({
      description: "A full topic, `t/<slug>/…`, that the device type lists for subscriptions",
    }),
  })
  .meta({ id: "CommandCreate" });

const batchCreate = z
  .strictObject({
    ...newCommand,
    topic: newCommand.topic.meta({
      description: "As for one device; a segment `{deviceId}` stands for the id of each device",
    }),
    deviceIds: z.array(z.string().max(128)).min(1).max(stored.devicesOfCommand.value).optional(),
    groupId: id.optional().meta({ description: "All devices of this group, instead of `deviceIds`" }),
    deviceTypeId: id.optional().meta({ description: "All devices of this type, instead of `deviceIds`" }),
  })
  .meta({ id: "CommandBatchCreate" });

const batch = z
  .strictObject({
    id: id.meta({ description: "Its commands are listed by `GET /api/v1/commands?batchId=`" }),
    queued: z.int(),
    refused: z.int(),
    items: z.array(
      z
        .strictObject({
          deviceId: z.string(),
          outcome: COMMAND_RESULT,
          commandId: id.nullable(),
          error: z.string().nullable().meta({ description: "The code of the refusal" }),
          message: z.string().nullable(),
        })
        .meta({ id: "CommandOutcome" }),
    ),
  })
  .meta({ id: "CommandBatch" });

export const sendCommand = publicRoute({
  useCase: commandUseCases.sendCommand,
  operationId: "createCommand",
  method: "POST",
  path: PATH,
  tag: TAG,
  summary: "Send a command to a device",
  description:
    "Queues a message. The device gets it with QoS 1 as soon as it subscribes to the topic with QoS 1 or 2: immediately if it already does, otherwise when it connects. A session that ends before the acknowledgement leaves it to the next one, so it may arrive twice: the MQTT 5 user property `commandId` has its id each time.",
  params: idParams,
  body: commandCreate,
  status: 201,
  response: command,
  errors: ["not_found", "quota_exceeded"],
  examples: { body: NEW_COMMAND_EXAMPLE, response: COMMAND_EXAMPLE },
  handler: (caller, { params, body }, sendCommand) => sendCommand(caller, params.id, body),
});

export const sendCommands = publicRoute({
  useCase: commandUseCases.sendCommands,
  operationId: "createCommands",
  method: "POST",
  path: "/api/v1/commands",
  tag: TAG,
  summary: "Send a command to many devices",
  description: `Queues the same message for at most ${stored.devicesOfCommand.value} devices, named by exactly one of \`deviceIds\`, \`groupId\` and \`deviceTypeId\`. Each device has its own outcome; a refused one does not affect the others.`,
  body: batchCreate,
  status: 201,
  response: batch,
  errors: [],
  examples: {
    body: {
      payload: NEW_COMMAND_EXAMPLE.payload,
      topic: "t/acme/commands/{deviceId}",
      deviceIds: ["pump-1"],
      expiresInMinutes: 60,
    },
    response: BATCH_EXAMPLE,
  },
  handler: (caller, { body }, sendCommands) => sendCommands(caller, body),
});

export const findCommands = publicRoute({
  useCase: commandUseCases.findCommands,
  operationId: "listCommands",
  method: "GET",
  path: "/api/v1/commands",
  tag: TAG,
  summary: "List the commands of all devices",
  description: `The commands of the devices that the caller sees, newest first. Ended ones are kept for 7 days, at most ${stored.endedCommandsOfDevice.value} of a device.`,
  query: z.strictObject({
    batchId: z.string().max(128).optional().meta({ description: "Those that one request queued for many devices" }),
    state: state.optional(),
    limit: strictLimit(50, 200),
    cursor: cursor.optional(),
  }),
  status: 200,
  response: z.strictObject({ items: z.array(command), next }).meta({ id: "CommandPart" }),
  errors: [],
  examples: { response: { items: [SENT_COMMAND_EXAMPLE] } },
  handler: (caller, { query }, findCommands) => findCommands(caller, query),
});

export const listCommands = publicRoute({
  useCase: commandUseCases.listCommandHistory,
  operationId: "listDeviceCommands",
  method: "GET",
  path: PATH,
  tag: TAG,
  summary: "List the commands of a device",
  description: "The device's commands in any state, newest first.",
  params: idParams,
  query: z.strictObject({ state: state.optional(), ...strictPaging(50, 200) }),
  status: 200,
  response: page(command),
  errors: ["not_found"],
  examples: { response: { items: [SENT_COMMAND_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { params, query }, listCommands) => listCommands(caller, params.id, query),
});

const commandParams = z.strictObject({
  id: pathId.meta({ description: "The device's id" }),
  commandId: pathId.meta({ description: "The command's id" }),
});

export const getCommand = publicRoute({
  useCase: commandUseCases.getCommand,
  operationId: "getCommand",
  method: "GET",
  path: `${PATH}/{commandId}`,
  tag: TAG,
  summary: "Get a command",
  description: "One command of a device, with its state.",
  params: commandParams,
  status: 200,
  response: command,
  errors: ["not_found"],
  examples: { response: SENT_COMMAND_EXAMPLE },
  handler: (caller, { params }, getCommand) => getCommand(caller, params.id, params.commandId),
});

export const cancelCommand = publicRoute({
  useCase: commandUseCases.cancelCommand,
  operationId: "deleteCommand",
  method: "DELETE",
  path: `${PATH}/{commandId}`,
  tag: TAG,
  summary: "Cancel a pending command",
  description:
    "A command that was sent may have reached the device nevertheless. `404` for one that was acknowledged or has expired.",
  params: commandParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, cancelCommand) => cancelCommand(caller, params.id, params.commandId),
});
