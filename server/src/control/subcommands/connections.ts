import { z } from "zod";
import { type Subcommand, tenantSubcommand, text } from "../subcommand.ts";

/** The maximum number of refusals in one answer. */
const MAX_REFUSALS = 1_000;

/** The maximum number of MQTT clients in one answer. */
const MAX_CLIENTS = 100_000;

const topics = z.array(text);

/** The commands for MQTT clients and for clients that the broker refused. */
export const connectionSubcommands: readonly Subcommand[] = [
  tenantSubcommand(
    "mqtt-client.create",
    { clientId: text, username: text, publish: topics, subscribe: topics },
    ({ connections }, caller, input) => connections.createMqttClient(caller, input),
  ),
  tenantSubcommand("mqtt-client.list", {}, async ({ connections }, caller) => ({
    items: (await connections.listMqttClients(caller, { skip: 0, limit: MAX_CLIENTS })).items,
  })),
  tenantSubcommand("mqtt-client.disable", { clientId: text }, async ({ connections }, caller, { clientId }) => {
    await connections.disableMqttClient(caller, clientId);
    return { clientId };
  }),
  tenantSubcommand("mqtt-client.enable", { clientId: text }, async ({ connections }, caller, { clientId }) => {
    await connections.enableMqttClient(caller, clientId);
    return { clientId };
  }),
  tenantSubcommand("mqtt-client.delete", { clientId: text }, async ({ connections }, caller, { clientId }) => {
    await connections.deleteMqttClient(caller, clientId);
    return { clientId };
  }),
  tenantSubcommand(
    "refusal.list",
    { skip: z.int().min(0), limit: z.int().min(1).max(MAX_REFUSALS) },
    ({ connections }, caller, page) => connections.listRefusals(caller, page),
  ),
];
