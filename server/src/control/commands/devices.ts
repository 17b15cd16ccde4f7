import { z } from "zod";
import { command, text } from "../command.ts";

const tenant = { tenant: text };
const topics = z.array(text);
const watched = { thresholdIds: z.array(text).optional(), silentForSeconds: z.number().nullable().optional() };

/** Device types, devices, groups, claims and MQTT clients. */
export const deviceCommands = [
  command(
    "device-type.create",
    { ...tenant, name: text, publishTopics: topics, subscribeTopics: topics.optional(), ...watched },
    async ({ access, devices }, { tenant, ...input }) =>
      devices.createDeviceType(await access.systemCaller(tenant), input),
  ),
  command(
    "device-type.update",
    {
      id: text,
      name: text.optional(),
      publishTopics: topics.optional(),
      subscribeTopics: topics.optional(),
      ...watched,
    },
    async ({ access, devices }, { id, ...input }) => {
      const caller = await access.systemCaller(await devices.tenantOfDeviceType(id));
      return await devices.updateDeviceType(caller, id, input);
    },
  ),
  command("device-type.list", tenant, async ({ access, devices }, { tenant }) => ({
    items: await devices.listDeviceTypes(await access.systemCaller(tenant)),
  })),
  command(
    "device.create",
    { ...tenant, id: text.optional(), name: text, deviceTypeId: text.optional(), groupIds: z.array(text).optional() },
    async ({ access, devices }, { tenant, ...input }) => devices.createDevice(await access.systemCaller(tenant), input),
  ),
  command("device.delete", { ...tenant, id: text }, async ({ access, enrollment }, { tenant, id }) => {
    await enrollment.deleteDevice(await access.systemCaller(tenant), id);
    return { id };
  }),
  command("device.latest", { ...tenant, id: text }, async ({ access, telemetry }, { tenant, id }) => ({
    items: await telemetry.latest(await access.systemCaller(tenant), id),
  })),
  command("device.rejected", { ...tenant, id: text }, async ({ access, telemetry }, { tenant, id }) => {
    const messages = await telemetry.rejectedMessages(await access.systemCaller(tenant), id);
    return { items: messages.map(({ payload, ...rest }) => ({ ...rest, payloadBase64: payload.toString("base64") })) };
  }),
  command(
    "claim.create",
    {
      ...tenant,
      intendedName: text,
      intendedDeviceTypeId: text.optional(),
      intendedGroupIds: z.array(text).optional(),
      maxUses: z.number().optional(),
      expiresInMinutes: z.number().optional(),
    },
    async ({ access, enrollment, addresses }, { tenant, ...input }) => {
      const claim = await enrollment.createClaim(await access.systemCaller(tenant), input);
      const { id, claimCode, expiresAt } = claim;
      return { id, claimCode, expiresAt, server: addresses.baseUrl };
    },
  ),
  command(
    "mqtt-client.create",
    { ...tenant, clientId: text, username: text, publish: topics, subscribe: topics },
    async ({ access, connections }, { tenant, ...input }) =>
      connections.createMqttClient(await access.systemCaller(tenant), input),
  ),
];
