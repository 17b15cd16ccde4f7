import { randomUUID } from "node:crypto";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import type { Route } from "../../src/api/route.ts";
import { addMs, HOUR } from "../../src/lib/clock.ts";
import { addAnomaly } from "./anomalies.ts";
import { enrollDevice, type TestDevice, type TestTenant } from "./devices.ts";
import type { TestServer } from "./server.ts";
import { confirmWebhook } from "./webhooks.ts";

/** A tenant with one record of each kind, and every operation's example adapted to those records. */
export interface OneOfEach {
  device: TestDevice;
  /** The id of each record, by kind. */
  ids: Record<string, string>;
  /** Returns the address of `route` with the id of the existing record, or with `id`, and the required query. */
  path(route: Route, id?: string): string;
  /**
   * Returns the example body of `route` with the ids, claim code and CSR of this tenant, and an address that no webhook
   * uses.
   */
  body(route: Route): unknown;
}

/** Creates one record of each kind in `tenant`. */
export async function oneOfEach(server: TestServer, tenant: TestTenant): Promise<OneOfEach> {
  const { access, certificates, commands, connections, devices, enrollment } = server.app;
  const { groups, identity, notifications, rules, tickets } = server.app;
  const { caller } = tenant;
  await devices.updateDeviceType(caller, tenant.deviceTypeId, { subscribeTopics: ["commands/{deviceId}"] });
  const device = await enrollDevice(server, tenant);
  const { deviceId } = device;
  const group = await groups.createGroup(caller, { name: "Pump hall" });
  const webhook = await notifications.createWebhook(caller, {
    groupId: (await groups.createGroup(caller, { name: "Hooked" })).id,
    url: "https://hooks.example.com/one",
  });
  await confirmWebhook(server, webhook.url);
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const shift = await groups.createShift(caller, { name: "Days", ...times });
  await groups.assignShift(caller, group.id, shift.id);
  const mqttClient = { clientId: `client-${randomUUID()}`, username: randomUUID() };
  await connections.createMqttClient(caller, mqttClient);
  const endsAt = addMs(server.clock.now(), HOUR);
  const window = await notifications.createWindow(caller, { name: "Firmware", covers: "all", endsAt });
  const override = await notifications.createOverride(caller, group.id, { userId: tenant.admin.id, endsAt });
  const absence = await notifications.createAbsence(caller, { userId: tenant.admin.id, endsAt });
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  const threshold = await rules.createThreshold(caller, { name: "Bearings", rules: [rule] });
  const { database } = server.app;
  const anomaly = await addAnomaly({ database, clock: server.clock }, caller, deviceId);
  const ticket = await tickets.openTicket(caller, { title: "Grease it" });
  const claim = await enrollment.createClaim(caller, { intendedName: "x", maxUses: 100, expiresInMinutes: 1440 });
  const command = await commands.sendCommand(caller, deviceId, {
    topic: `t/${tenant.slug}/commands/${deviceId}`,
    payload: "open",
  });
  const user = await access.createUser(caller, { email: `${randomUUID()}@example.com`, role: "viewer" });
  const invite = await identity.inviteUser(caller, { email: `${randomUUID()}@example.com`, role: "viewer" });
  const issued = await certificates.listCertificates(caller, { skip: 0, limit: 1 });

  /** The ids of nested records, by the name of their parameter. */
  const nested: Record<string, string> = { commandId: command.id, shiftId: shift.id };
  const records: Record<string, string> = {
    devices: deviceId,
    groups: group.id,
    shifts: shift.id,
    "maintenance-windows": window.id,
    overrides: override.id,
    absences: absence.id,
    thresholds: threshold.id,
    anomalies: anomaly,
    tickets: ticket.id,
    provisioning: claim.id,
    "device-certificates": issued.items[0]!.id,
    webhooks: webhook.id,
    users: user.id,
    invites: invite.id,
    "device-types": tenant.deviceTypeId,
    "mqtt-clients": mqttClient.clientId,
  };
  const fields: Record<string, unknown> = {
    deviceId,
    deviceIds: [deviceId],
    topic: `t/${tenant.slug}/commands/${deviceId}`,
    anomalyId: anomaly,
    shiftId: shift.id,
    groupId: group.id,
    until: addMs(server.clock.now(), 2 * HOUR).toISOString(),
    groupIds: [group.id],
    intendedGroupIds: [group.id],
    userIds: [tenant.admin.id],
    userId: tenant.admin.id,
    subscribe: [`t/${tenant.slug}/telemetry/+`],
    thresholdIds: [threshold.id],
    memberUserIds: [tenant.admin.id],
    assigneeUserId: tenant.admin.id,
    deviceTypeId: tenant.deviceTypeId,
    intendedDeviceTypeId: tenant.deviceTypeId,
    claimCode: claim.claimCode,
    csr: makeCsr(await makeKey()),
  };
  /** Times of which none has been given before. */
  let hours = 48;
  const inHours = (count: number) => addMs(endsAt, count * HOUR).toISOString();
  /** Fields that no two records may share. */
  const unique: Record<string, () => string> = {
    url: () => `https://hooks.example.com/${randomUUID()}`,
    clientId: () => `client-${randomUUID()}`,
    username: randomUUID,
    startsAt: () => inHours(++hours),
    endsAt: () => inHours(hours + 0.5),
    email: () => `${randomUUID()}@example.com`,
  };
  return {
    device,
    ids: records,
    path: ({ path, examples: { query } }, id) =>
      path
        .replace(/\{\w+\}/, id ?? records[path.split("/")[3]!]!)
        .replace(/\{(\w+)\}/, (_, name: string) => nested[name]!) + (query ? `?${new URLSearchParams(query)}` : ""),
    body: ({ examples }) =>
      examples.body === undefined
        ? undefined
        : JSON.parse(JSON.stringify(examples.body), (field, value) =>
            Object.hasOwn(unique, field) ? unique[field]!() : Object.hasOwn(fields, field) ? fields[field] : value,
          ),
  };
}
