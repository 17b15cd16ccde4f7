import { z } from "zod";
import { connectionUseCases } from "../../connections/connections.ts";
import { records } from "../../lib/limits/records.ts";
import { publicRoute } from "../route.ts";
import { externalId, id, nullableTimestamp, page, pathId, strictPaging, timestamp } from "../shapes.ts";

const TAG = "MQTT clients";
const PATH = "/api/v1/mqtt-clients";

const topics = z.array(z.string().min(1).max(256)).max(records.topicsOfMqttClient.value);
const clientId = z.string().min(1).max(64);
export const mqttClientParams = z.strictObject({ id: pathId.meta({ description: "The client id" }) });

export const mqttClient = z
  .strictObject({
    id,
    clientId,
    username: z.string(),
    publish: z.array(z.string()).meta({ description: "Full topics" }),
    subscribe: z.array(z.string()).meta({ description: "Topic filters" }),
    externalId,
    createdAt: timestamp,
    disabledAt: nullableTimestamp,
    suspended: z
      .boolean()
      .meta({ description: "Whether it is refused because its owner is no longer an active admin" }),
    ownerId: id.nullable().meta({
      description:
        "The admin who registered it, or who last enabled it or replaced its password; null if the shell did",
    }),
    owner: z.string().nullable().meta({ description: "The owner's email address, or the name of the service account" }),
    connected: z.boolean(),
  })
  .meta({ id: "MqttClient" });

const password = z.string().meta({ description: "The password, shown only in this answer; it is not stored" });
export const newCredentials = z
  .strictObject({ id, clientId, username: z.string(), password })
  .meta({ id: "MqttClientCredentials" });
export const newPassword = z
  .strictObject({ clientId, username: z.string(), password })
  .meta({ id: "MqttClientPassword" });

export const MQTT_CLIENT_EXAMPLE = {
  id: "0199c1c9-1111-7a11-9c22-5e6f7a8b9c0d",
  clientId: "scada-gateway",
  username: "scada",
  publish: ["t/acme/commands/pump-1"],
  subscribe: ["t/acme/telemetry/+"],
  externalId: null,
  createdAt: "2026-11-20T09:00:00.000Z",
  disabledAt: null,
  suspended: false,
  ownerId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  owner: "ada@acme.example",
  connected: true,
};
export const SECRET_EXAMPLE = {
  clientId: MQTT_CLIENT_EXAMPLE.clientId,
  username: MQTT_CLIENT_EXAMPLE.username,
  password: "Vq3…",
};

export const mqttClientCreate = z.strictObject({
  clientId,
  username: z.string().min(1).max(64),
  publish: topics.optional().meta({ description: "Topics below the tenant's prefix `t/<slug>/`" }),
  subscribe: topics.optional().meta({ description: "Topic filters below the tenant's prefix" }),
  externalId: externalId.optional(),
});

export const listMqttClients = publicRoute({
  useCase: connectionUseCases.listMqttClients,
  operationId: "listMqttClients",
  addressedBy: "clientId",
  method: "GET",
  path: PATH,
  tag: TAG,
  summary: "List MQTT clients",
  description: "Gateways and services that connect with user name and password, including disabled ones, newest first.",
  query: z.strictObject(strictPaging(50, 200)),
  status: 200,
  response: page(mqttClient),
  errors: [],
  examples: { response: { items: [MQTT_CLIENT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listMqttClients) => listMqttClients(caller, query),
});

export const getMqttClient = publicRoute({
  useCase: connectionUseCases.getMqttClient,
  operationId: "getMqttClient",
  method: "GET",
  path: `${PATH}/{id}`,
  tag: TAG,
  summary: "Get an MQTT client",
  description: "The client of this client id: the enabled one, or else the one that was disabled last.",
  params: mqttClientParams,
  status: 200,
  response: mqttClient,
  errors: ["not_found"],
  volatile: ["connected"],
  examples: { response: MQTT_CLIENT_EXAMPLE },
  handler: (caller, { params }, getMqttClient) => getMqttClient(caller, params.id),
});

export const createMqttClient = publicRoute({
  useCase: connectionUseCases.createMqttClient,
  operationId: "createMqttClient",
  addressedBy: "clientId",
  method: "POST",
  path: PATH,
  tag: TAG,
  summary: "Create an MQTT client",
  description:
    "The client owns its client id from then on, connected or not. Its password is shown only in this answer. It is suspended while the owner of the API key is not an active admin.",
  body: mqttClientCreate.meta({ id: "MqttClientCreate" }),
  status: 201,
  response: newCredentials,
  errors: ["client_id_in_use", "username_taken", "quota_exceeded", "already_exists"],
  examples: {
    body: {
      clientId: MQTT_CLIENT_EXAMPLE.clientId,
      username: MQTT_CLIENT_EXAMPLE.username,
      subscribe: MQTT_CLIENT_EXAMPLE.subscribe,
    },
    response: { id: MQTT_CLIENT_EXAMPLE.id, ...SECRET_EXAMPLE },
  },
  secret: true,
  handler: async (caller, { body: { publish = [], subscribe = [], externalId, ...names } }, createMqttClient) => ({
    ...names,
    ...(await createMqttClient(caller, { ...names, externalId, publish, subscribe })),
  }),
});

export const rotatePassword = publicRoute({
  useCase: connectionUseCases.rotateMqttClientPassword,
  operationId: "rotateMqttClientPassword",
  method: "POST",
  path: `${PATH}/{id}/password`,
  tag: TAG,
  summary: "Give an MQTT client a new password",
  description:
    "When this answers, the previous password is refused and the client's session is closed. The owner of the API key becomes the client's owner.",
  params: mqttClientParams,
  status: 200,
  response: newPassword,
  errors: ["not_found"],
  examples: { response: SECRET_EXAMPLE },
  secret: true,
  handler: (caller, { params }, rotatePassword) => rotatePassword(caller, params.id),
});

export const disableMqttClient = publicRoute({
  useCase: connectionUseCases.disableMqttClient,
  operationId: "disableMqttClient",
  method: "POST",
  path: `${PATH}/{id}/disable`,
  tag: TAG,
  summary: "Disable an MQTT client",
  description:
    "When this answers, its password is refused, its client id is free and its session is closed. May be repeated.",
  params: mqttClientParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, disableMqttClient) => disableMqttClient(caller, params.id),
});

export const enableMqttClient = publicRoute({
  useCase: connectionUseCases.enableMqttClient,
  operationId: "enableMqttClient",
  method: "POST",
  path: `${PATH}/{id}/enable`,
  tag: TAG,
  summary: "Enable an MQTT client again",
  description:
    "Enables a disabled or suspended client: its previous password works again, and the owner of the API key becomes its owner. May be repeated.",
  params: mqttClientParams,
  status: 204,
  errors: ["not_found", "client_id_in_use", "username_taken", "already_exists"],
  examples: {},
  handler: (caller, { params }, enableMqttClient) => enableMqttClient(caller, params.id),
});

export const deleteMqttClient = publicRoute({
  useCase: connectionUseCases.deleteMqttClient,
  operationId: "deleteMqttClient",
  method: "DELETE",
  path: `${PATH}/{id}`,
  tag: TAG,
  summary: "Delete an MQTT client",
  description: "When this answers, its password is refused, its client id is free and its session is closed.",
  params: mqttClientParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteMqttClient) => deleteMqttClient(caller, params.id),
});
