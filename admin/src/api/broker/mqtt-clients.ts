import { api, must, type Schemas } from "../client.ts";
import { read } from "../read.ts";

export const MQTT_CLIENTS = "/api/admin/mqtt-clients";
export type MqttClient = Schemas["MqttClient"];

const of = (id: string) => ({ params: { path: { id } } });
export const mqttClientsQuery = (skip: number) => read(MQTT_CLIENTS, { query: { skip, limit: 50 } });
export const createMqttClient = (body: Schemas["MqttClientCreate"]) => must(api.POST(MQTT_CLIENTS, { body }));
export const rotateMqttPassword = (id: string) => must(api.POST(`${MQTT_CLIENTS}/{id}/password`, of(id)));
export const deleteMqttClient = (id: string) => must(api.DELETE(`${MQTT_CLIENTS}/{id}`, of(id)));
/** Refuses the client's password and closes its session. */
export const disableMqttClient = (id: string) => must(api.POST(`${MQTT_CLIENTS}/{id}/disable`, of(id)));
/** Accepts the client's former password again. */
export const enableMqttClient = (id: string) => must(api.POST(`${MQTT_CLIENTS}/{id}/enable`, of(id)));
