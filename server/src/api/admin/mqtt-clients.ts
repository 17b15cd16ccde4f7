import { z } from "zod";
import { connectionUseCases } from "../../connections/connections.ts";
import { records } from "../../lib/limits/records.ts";
import { adminRoute } from "../route.ts";
import { id, nullableTimestamp, page, paging, pathId, timestamp } from "../shapes.ts";

const TAG = "MQTT clients";

const topics = z.array(z.string().min(1).max(256)).max(records.topicsOfMqttClient.value);
const clientId = z.string().min(1).max(64);
const params = z.strictObject({ id: pathId.meta({ description: "The client id" }) });

const mqttClient = z
  .strictObject({
    id,
    clientId,
    username: z.string(),
    publish: z.array(z.string()).meta({ description: "Full topics" }),
    subscribe: z.array(z.string()).meta({ description: "Topic filters" }),
    createdAt: timestamp,
    disabledAt: nullableTimestamp,
    suspended: z
      .boolean()
      .meta({ description: "Whether it is refused because its owner is no longer an active admin" }),
    ownerId: id.nullable().meta({
      description:
        "The admin who registered it, or who last enabled it or replaced its password; null if the shell did",
    }),
    owner: z.string().nullable().meta({ description: "The owner's e-mail address" }),
    connected: z.boolean(),
  })
  .meta({ id: "MqttClient" });

const password = z.string().meta({ description: "The password, shown only in this answer; it is not stored" });
const newCredentials = z
  .strictObject({ id, clientId, username: z.string(), password })
  .meta({ id: "MqttClientCredentials" });
const newPassword = z.strictObject({ clientId, username: z.string(), password }).meta({ id: "MqttClientPassword" });

const EXAMPLE = {
  id: "0199c1c9-1111-7a11-9c22-5e6f7a8b9c0d",
  clientId: "scada-gateway",
  username: "scada",
  publish: ["t/acme/commands/pump-1"],
  subscribe: ["t/acme/telemetry/+"],
  createdAt: "2026-11-20T09:00:00.000Z",
  disabledAt: null,
  suspended: false,
  ownerId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  owner: "ada@acme.example",
  connected: true,
};
const SECRET_EXAMPLE = { clientId: EXAMPLE.clientId, username: EXAMPLE.username, password: "Vq3…" };

export const listMqttClients = adminRoute({
  useCase: connectionUseCases.listMqttClients,
  operationId: "listMqttClients",
  csv: "mqtt-clients",
  method: "GET",
  path: "/api/admin/mqtt-clients",
  tag: TAG,
  summary: "List MQTT clients",
  description: "Gateways and services that connect with user name and password, including disabled ones, newest first.",
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(mqttClient),
  errors: [],
  examples: { response: { items: [EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listMqttClients) => listMqttClients(caller, query),
});

export const createMqttClient = adminRoute({
  useCase: connectionUseCases.createMqttClient,
  operationId: "createMqttClient",
  method: "POST",
  path: "/api/admin/mqtt-clients",
  tag: TAG,
  summary: "Register an MQTT client",
  description:
    "The client owns its client id from then on, connected or not. Its password is shown only in this answer. It is suspended while its owner, the registering admin, is not an active admin.",
  body: z
    .strictObject({
      clientId,
      username: z.string().min(1).max(64),
      publish: topics.optional().meta({ description: "Topics below the tenant's prefix `t/<slug>/`" }),
      subscribe: topics.optional().meta({ description: "Topic filters below the tenant's prefix" }),
    })
    .meta({ id: "MqttClientCreate" }),
  status: 201,
  response: newCredentials,
  errors: ["client_id_in_use", "username_taken", "quota_exceeded"],
  examples: {
    body: { clientId: EXAMPLE.clientId, username: EXAMPLE.username, subscribe: EXAMPLE.subscribe },
    response: { id: EXAMPLE.id, ...SECRET_EXAMPLE },
  },
  secret: true,
  handler: async (caller, { body: { publish = [], subscribe = [], ...names } }, createMqttClient) => ({
    ...names,
    ...(await createMqttClient(caller, { ...names, publish, subscribe })),
  }),
});

export const rotatePassword = adminRoute({
  useCase: connectionUseCases.rotateMqttClientPassword,
  operationId: "rotateMqttClientPassword",
  method: "POST",
  path: "/api/admin/mqtt-clients/{id}/password",
  tag: TAG,
  summary: "Give an MQTT client a new password",
  description:
    "When this answers, the previous password is refused and the client's session is closed. The caller becomes its owner, even if the client was suspended.",
  params,
  status: 200,
  response: newPassword,
  errors: ["not_found"],
  examples: { response: SECRET_EXAMPLE },
  secret: true,
  handler: (caller, { params }, rotatePassword) => rotatePassword(caller, params.id),
});

export const disableMqttClient = adminRoute({
  useCase: connectionUseCases.disableMqttClient,
  operationId: "disableMqttClient",
  method: "POST",
  path: "/api/admin/mqtt-clients/{id}/disable",
  tag: TAG,
  summary: "Disable an MQTT client",
  description:
    "When this answers, its password is refused, its client id is free and its session is closed. May be repeated.",
  params,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, disableMqttClient) => disableMqttClient(caller, params.id),
});

export const enableMqttClient = adminRoute({
  useCase: connectionUseCases.enableMqttClient,
  operationId: "enableMqttClient",
  method: "POST",
  path: "/api/admin/mqtt-clients/{id}/enable",
  tag: TAG,
  summary: "Enable an MQTT client again",
  description:
    "Enables a disabled or suspended client: its previous password works again, and the caller becomes its owner. If several clients have this client id, the most recently disabled one is enabled. May be repeated.",
  params,
  status: 204,
  errors: ["not_found", "client_id_in_use", "username_taken"],
  examples: {},
  handler: (caller, { params }, enableMqttClient) => enableMqttClient(caller, params.id),
});

export const deleteMqttClient = adminRoute({
  useCase: connectionUseCases.deleteMqttClient,
  operationId: "deleteMqttClient",
  method: "DELETE",
  path: "/api/admin/mqtt-clients/{id}",
  tag: TAG,
  summary: "Delete an MQTT client",
  description: "When this answers, its password is refused, its client id is free and its session is closed.",
  params,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteMqttClient) => deleteMqttClient(caller, params.id),
});
