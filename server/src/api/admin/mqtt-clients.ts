import { z } from "zod";
import { connectionUseCases } from "../../connections/connections.ts";
import { inApp } from "../in-app.ts";
import { adminRoute } from "../route.ts";
import { page, paging } from "../shapes.ts";
import * as specified from "../v1/mqtt-clients.ts";

const TAG = "MQTT clients";

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
  response: page(specified.mqttClient),
  errors: [],
  examples: { response: { items: [specified.MQTT_CLIENT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listMqttClients) => listMqttClients(caller, query),
});

const OWNED = "The caller becomes its owner";

export const createMqttClient = inApp(specified.createMqttClient, {
  summary: "Register an MQTT client",
  description:
    "The client owns its client id from then on, connected or not. Its password is shown only in this answer. It is suspended while its owner, the registering admin, is not an active admin.",
});

export const rotatePassword = inApp(specified.rotatePassword, {
  description: `When this answers, the previous password is refused and the client's session is closed. ${OWNED}, even if the client was suspended.`,
});

export const disableMqttClient = inApp(specified.disableMqttClient);

export const enableMqttClient = inApp(specified.enableMqttClient, {
  description: `Enables a disabled or suspended client: its previous password works again. ${OWNED}. If several clients have this client id, the most recently disabled one is enabled. May be repeated.`,
});

export const deleteMqttClient = inApp(specified.deleteMqttClient);
