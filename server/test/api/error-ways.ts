import { SCOPES } from "../../src/access/access.ts";
import type { Route } from "../../src/api/route.ts";
import { routes } from "../../src/api/routes.ts";
import { newKey, newTenant, redeem, redemption, type TestTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import type { OneOfEach } from "../harness/one-of-each.ts";
import type { TestServer } from "../harness/server.ts";
import { sendHeaders } from "./headers-first.ts";

type Ways = Record<string, () => Promise<HttpAnswer>>;
type Ask = (operationId: string, asked?: { key?: string; path?: string; body?: unknown }) => Promise<HttpAnswer>;

export type ErrorWays = ReturnType<typeof errorWays>;

/** The quotas that operations can reach. */
export const QUOTAS = [
  "openClaims",
  "devices",
  "groups",
  "rules",
  "channels",
  "deviceTypes",
  "shifts",
  "maintenanceWindows",
  "mqttClients",
  "users",
  "apiKeys",
];

/** The operations that create one record of a quota. */
const COUNTED = [
  ...["createCommand", "createDeviceType", "createShift", "createMaintenanceWindow", "createMqttClient"],
  ...["createInvite", "createClaim", "createDevice", "createGroup", "createThreshold", "createWebhook"],
  "rotateCurrentKey",
];

/** Returns another value of the same type, where `id` is another id. */
export function altered(value: unknown, id: string): unknown {
  if (typeof value === "number") return value + 1;
  return Array.isArray(value) ? [...value, id] : String(value).replace(/Z?$/, "2$&");
}

const RULE = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
const TIMES = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };

/** Returns how the operations that configure a tenant come to their errors. */
export function errorWays(server: TestServer, tenant: TestTenant, one: OneOfEach, ask: Ask) {
  const { caller, slug, deviceTypeId } = tenant;
  const { commands, connections, devices, enrollment, groups, rules } = server.app;
  const { deviceId } = one.device;
  const topic = `t/${slug}/commands/${deviceId}`;
  const channels = [1, 2].map((n) => ({ type: "webhook", target: `https://hooks.example.com/quota/${n}` }));
  const client = async (clientId: string, more: { username?: string; externalId?: string; enabled?: false } = {}) => {
    const { username = clientId, enabled, ...names } = more;
    await connections.createMqttClient(caller, { clientId, username, ...names });
    if (enabled === false) await connections.disableMqttClient(caller, clientId);
  };
  const enable = (clientId: string) => ask("enableMqttClient", { path: `/api/v1/mqtt-clients/${clientId}/enable` });
  const clientIdInUse: Ways = {
    createMqttClient: async () => {
      await client("gateway-3");
      return ask("createMqttClient", { body: { clientId: "gateway-3", username: "other" } });
    },
    enableMqttClient: async () => {
      await client("gateway-4", { enabled: false });
      const elsewhere = await newTenant(server);
      await connections.createMqttClient(elsewhere.caller, { clientId: "gateway-4", username: "elsewhere" });
      return enable("gateway-4");
    },
  };
  const usernameTaken: Ways = {
    createMqttClient: async () => {
      await client("name-1");
      return ask("createMqttClient", { body: { clientId: "name-2", username: "name-1" } });
    },
    enableMqttClient: async () => {
      await client("name-3", { enabled: false });
      await client("name-4", { username: "name-3" });
      return enable("name-3");
    },
  };
  const quotaExceeded: Ways = {
    ...Object.fromEntries(COUNTED.map((id) => [id, () => ask(id)])),
    updateThreshold: () => ask("updateThreshold", { body: { rules: [RULE, { ...RULE, metric: "x" }] } }),
    updateGroupChannels: () => ask("updateGroupChannels", { body: { channels } }),
  };
  let rotated: Promise<string> | undefined;
  return {
    /** Returns the key for a call: the rotated key must not be that of other operations, since it ends. */
    async keyFor({ operationId }: Route, usual: string): Promise<string> {
      if (operationId !== "rotateCurrentKey") return usual;
      rotated ??= newKey(server, tenant, "own-key:rotate");
      return await rotated;
    },
    /** Returns a key of a service account whose address range has no client. */
    async keyForElsewhere(): Promise<string> {
      const account = { name: "Elsewhere", role: "admin", contactUserId: tenant.admin.id, expiresInDays: 1 } as const;
      const { id } = await groups.createServiceAccount(caller, { ...account, addressRanges: ["192.0.2.0/24"] });
      const wanted = { name: "test", scopes: [...SCOPES], serviceAccount: id };
      return (await server.app.access.createKey(caller, wanted)).key;
    },
    clientIdInUse,
    usernameTaken,
    quotaExceeded,
    invalidTransition: {
      changeTicket: async () => {
        const { id } = await server.app.tickets.openTicket(caller, { title: "x" });
        return ask("changeTicket", { path: `/api/v1/tickets/${id}`, body: { status: "completed" } });
      },
    },
    lastAdmin: {
      updateUser: async () => {
        const other = await newTenant(server);
        const key = await newKey(server, other, "users:write");
        return ask("updateUser", { key, path: `/api/v1/users/${other.admin.id}`, body: { role: "viewer" } });
      },
    },
    /** Redeems a claim that re-enrolls another device. */
    async redeemForAnother(): Promise<HttpAnswer> {
      const { claimCode } = await enrollment.allowReenrollment(caller, deviceId, {});
      return redeem(server, (await redemption(claimCode)).body);
    },
    async inUse(): Promise<Ways> {
      const { id: groupId } = await groups.createGroup(caller, { name: "In use" });
      await devices.createDevice(caller, { name: "Pump", groupIds: [groupId] });
      return {
        deleteGroup: () => ask("deleteGroup", { path: `/api/v1/groups/${groupId}` }),
        deleteDeviceType: () => ask("deleteDeviceType", { path: `/api/v1/device-types/${deviceTypeId}` }),
      };
    },
    async alreadyExists(): Promise<Ways> {
      const externalId = "taken";
      await devices.createDeviceType(caller, { name: "x", publishTopics: [], externalId });
      await groups.createGroup(caller, { name: "x", externalId });
      await groups.createShift(caller, { name: "x", ...TIMES, externalId });
      await rules.createThreshold(caller, { name: "x", rules: [RULE], externalId });
      await client("ext-1", { externalId, enabled: false });
      await client("ext-2", { externalId });
      const named = (id: string) => async () => {
        const route = routes.find(({ operationId }) => operationId === id)!;
        return ask(id, { body: { ...(one.body(route) as object), externalId } });
      };
      const kinds = ["DeviceType", "Group", "Shift", "Threshold"].flatMap((kind) => [`create${kind}`, `update${kind}`]);
      const ways = [...kinds, "createMqttClient"].map((id) => [id, named(id)] as const);
      const url = "https://hooks.example.com/twice";
      const createWebhook = async () => {
        const { id: groupId } = await groups.createGroup(caller, { name: "Hooked" });
        await ask("createWebhook", { body: { groupId, url } });
        return ask("createWebhook", { body: { groupId, url } });
      };
      const rotateCurrentKey = async () => {
        const key = await newKey(server, tenant, "own-key:rotate");
        await ask("rotateCurrentKey", { key });
        return ask("rotateCurrentKey", { key });
      };
      const createOverride = async () => {
        const made = routes.find(({ operationId }) => operationId === "createOverride")!;
        const body = one.body(made);
        await ask("createOverride", { body });
        return ask("createOverride", { body });
      };
      return {
        ...Object.fromEntries(ways),
        createOverride,
        createWebhook,
        rotateCurrentKey,
        enableMqttClient: () => enable("ext-1"),
      };
    },
    /** Sends a request without its body. Resolves when the service asks for the body. */
    askedForBody({ method, path }: Route, key: string): Promise<{ answer: Promise<HttpAnswer> }> {
      const headers = { "x-api-key": key, "content-type": "application/json", "content-length": 2 };
      const url = server.httpUrl + path.replace(/\{\w+\}/, "00000000-0000-7000-8000-000000000000");
      return sendHeaders(url, { method, headers, ca: server.ca });
    },
    /** Queues as many commands for the device as may wait. */
    async fillCommands(): Promise<void> {
      for (let sent = 0; sent < 100; sent++)
        await commands.sendCommand(caller, deviceId, { topic, payload: "x" }).catch(() => undefined);
    },
    async cancelCommands(): Promise<void> {
      const { items } = await commands.listCommands(caller, deviceId, { skip: 0, limit: 100 });
      for (const { id } of items) await commands.cancelCommand(caller, deviceId, id);
    },
  };
}
