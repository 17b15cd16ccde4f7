import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { page, type Subcommand, subcommand, tenantSubcommand, text } from "../subcommand.ts";

const topics = z.array(text);
const monitoring = { thresholdIds: z.array(text).optional(), silentForSeconds: z.number().nullable().optional() };

/** The commands for device types, devices and claims. */
export const deviceSubcommands: readonly Subcommand[] = [
  tenantSubcommand(
    "device-type.create",
    { name: text, publishTopics: topics, subscribeTopics: topics.optional(), ...monitoring },
    ({ devices }, caller, input) => devices.createDeviceType(caller, input),
  ),
  subcommand(
    "device-type.update",
    {
      id: text,
      name: text.optional(),
      publishTopics: topics.optional(),
      subscribeTopics: topics.optional(),
      ...monitoring,
    },
    async ({ access, devices }, { id, ...change }) => {
      const caller = await access.systemCaller(await devices.tenantOfDeviceType(id));
      return await devices.updateDeviceType(caller, id, change);
    },
  ),
  tenantSubcommand("device-type.list", {}, async ({ devices }, caller) => ({
    items: await devices.listDeviceTypes(caller),
  })),

  tenantSubcommand(
    "device.create",
    { id: text.optional(), name: text, deviceTypeId: text.optional(), groupIds: z.array(text).optional() },
    ({ devices }, caller, input) => devices.createDevice(caller, input),
  ),
  tenantSubcommand(
    "device.list",
    { search: text.max(records.searchCharacters.value).optional(), ...page },
    ({ devices }, caller, { search, ...wanted }) =>
      devices.listDevices(caller, { ...wanted, q: search, countAhead: records.countedAhead.value }),
  ),
  tenantSubcommand("device.delete", { id: text }, async ({ enrollment }, caller, { id }) => {
    await enrollment.deleteDevice(caller, id);
    return { id };
  }),
  tenantSubcommand("device.latest", { id: text }, async ({ telemetry }, caller, { id }) => ({
    items: await telemetry.listLatest(caller, id),
  })),
  tenantSubcommand("device.rejected", { id: text }, async ({ telemetry }, caller, { id }) => {
    const messages = await telemetry.listRejected(caller, id);
    return { items: messages.map(({ payload, ...rest }) => ({ ...rest, payloadBase64: payload.toString("base64") })) };
  }),

  tenantSubcommand(
    "claim.create",
    {
      intendedName: text,
      intendedDeviceTypeId: text.optional(),
      intendedGroupIds: z.array(text).optional(),
      maxUses: z.number().optional(),
      expiresInMinutes: z.number().optional(),
    },
    async ({ enrollment, addresses }, caller, input) => {
      const { id, claimCode, expiresAt } = await enrollment.createClaim(caller, input);
      return { id, claimCode, expiresAt, server: addresses.baseUrl };
    },
  ),
  tenantSubcommand("claim.list", page, ({ enrollment }, caller, wanted) => enrollment.listClaims(caller, wanted)),
];
