import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { keyOf } from "../queries.ts";

export const MQTT_CLIENTS = "/api/admin/mqtt-clients";

export type MqttClient = Schemas["MqttClient"];

export const mqttClientsQuery = (skip: number) =>
  queryOptions({
    queryKey: keyOf(MQTT_CLIENTS, skip),
    queryFn: () => must(api.GET(MQTT_CLIENTS, { params: { query: { skip, limit: 50 } } })),
  });

export function createMqttClient(body: Schemas["NewMqttClient"]) {
  return must(api.POST(MQTT_CLIENTS, { body }));
}

export function rotateMqttPassword(id: string) {
  return must(api.POST(`${MQTT_CLIENTS}/{id}/password`, { params: { path: { id } } }));
}

export function deleteMqttClient(id: string) {
  return must(api.DELETE(`${MQTT_CLIENTS}/{id}`, { params: { path: { id } } }));
}

/** Its password is refused and its session closed. */
export function disableMqttClient(id: string) {
  return must(api.POST(`${MQTT_CLIENTS}/{id}/disable`, { params: { path: { id } } }));
}

/** Its former password works again. */
export function enableMqttClient(id: string) {
  return must(api.POST(`${MQTT_CLIENTS}/{id}/enable`, { params: { path: { id } } }));
}
