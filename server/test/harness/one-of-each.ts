import { randomUUID } from "node:crypto";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import type { Route } from "../../src/api/route.ts";
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
  const { certificates, enrollment, groups, notifications, rules, tickets } = server.app;
  const { caller } = tenant;
  const device = await enrollDevice(server, tenant);
  const { deviceId } = device;
  const group = await groups.createGroup(caller, { name: "Pump hall" });
  const webhook = await notifications.createWebhook(caller, {
    groupId: group.id,
    url: "https://hooks.example.com/one",
  });
  await confirmWebhook(server, webhook.url);
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const shift = await groups.createShift(caller, { name: "Days", ...times });
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  const threshold = await rules.createThreshold(caller, { name: "Bearings", rules: [rule] });
  const { database } = server.app;
  const anomaly = await addAnomaly({ database, clock: server.clock }, caller, deviceId);
  const ticket = await tickets.openTicket(caller, { title: "Grease it" });
  const claim = await enrollment.createClaim(caller, { intendedName: "x", maxUses: 100, expiresInMinutes: 1440 });
  const issued = await certificates.listCertificates(caller, { skip: 0, limit: 1 });

  const records: Record<string, string> = {
    devices: deviceId,
    groups: group.id,
    shifts: shift.id,
    thresholds: threshold.id,
    anomalies: anomaly,
    tickets: ticket.id,
    provisioning: claim.id,
    "device-certificates": issued.items[0]!.id,
    webhooks: webhook.id,
  };
  const fields: Record<string, unknown> = {
    deviceId,
    anomalyId: anomaly,
    shiftId: shift.id,
    groupId: group.id,
    groupIds: [group.id],
    intendedGroupIds: [group.id],
    thresholdIds: [threshold.id],
    memberUserIds: [tenant.admin.id],
    assigneeUserId: tenant.admin.id,
    deviceTypeId: tenant.deviceTypeId,
    intendedDeviceTypeId: tenant.deviceTypeId,
    claimCode: claim.claimCode,
    csr: makeCsr(await makeKey()),
  };
  return {
    device,
    ids: { ...records, users: tenant.admin.id, "device-types": tenant.deviceTypeId },
    path: ({ path, examples: { query } }, id) =>
      path.replace(/\{\w+\}/, id ?? records[path.split("/")[3]!]!) + (query ? `?${new URLSearchParams(query)}` : ""),
    body: ({ examples }) =>
      examples.body === undefined
        ? undefined
        : JSON.parse(JSON.stringify(examples.body), (field, value) =>
            field === "url"
              ? `https://hooks.example.com/${randomUUID()}`
              : Object.hasOwn(fields, field)
                ? fields[field]
                : value,
          ),
  };
}
