import { randomBytes } from "node:crypto";
import type { Caller, Role } from "../../src/access/access.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import type { TestServer } from "../harness/server.ts";

/** The ids of one record of each kind, as arguments of use cases. The device is in the group, the others are about the device. */
export interface Records {
  device: string;
  deviceType: string;
  group: string;
  shift: string;
  threshold: string;
  anomaly: string;
  ticket: string;
  claim: string;
  certificate: string;
  mqttClient: string;
  apiKey: string;
  /** A user who may be changed, and who is in the group. */
  user: string;
  userEmail: string;
  /** An admin of the tenant. */
  adminEmail: string;
}

/** Ids that no tenant has. */
export const NOWHERE: Records = {
  device: "no-such-device",
  deviceType: "00000000-0000-7000-8000-000000000001",
  group: "00000000-0000-7000-8000-000000000002",
  shift: "00000000-0000-7000-8000-000000000003",
  threshold: "00000000-0000-7000-8000-000000000004",
  anomaly: "00000000-0000-7000-8000-000000000005",
  ticket: "00000000-0000-7000-8000-000000000006",
  claim: "00000000-0000-7000-8000-000000000007",
  certificate: "00000000-0000-7000-8000-000000000008",
  mqttClient: "00000000-0000-7000-8000-00000000000a",
  apiKey: "nosuchke",
  user: "00000000-0000-7000-8000-000000000009",
  userEmail: "unknown-user@example.com",
  adminEmail: "unknown-admin@example.com",
};

/** A tenant with a user of each role. */
export interface Staff extends TestTenant {
  callers: Record<Role, Caller>;
}

export async function addStaff(server: TestServer): Promise<Staff> {
  const tenant = await newTenant(server);
  const as = async (role: Role) => {
    const { id: userId } = await addUser(server, tenant, role);
    return { ...tenant.caller, actor: `user:${userId}`, rights: { kind: "user", userId, role } } as const;
  };
  const callers = { admin: await as("admin"), operator: await as("operator"), viewer: await as("viewer") };
  return { ...tenant, callers };
}

/** Creates one record of each kind, all of them visible to the tenant's users of every role. */
export async function addRecords(server: TestServer, { caller, admin, callers }: Staff): Promise<Records> {
  const { access, certificates, connections, devices, enrollment, groups, rules, tickets } = server.app;
  const user = await addUser(server, { caller }, "viewer");
  const staff = Object.values(callers).flatMap(({ rights }) => (rights.kind === "user" ? [rights.userId] : []));
  const group = await groups.createGroup(caller, { name: "Pump hall", memberUserIds: [user.id, ...staff] });
  const type = await devices.createDeviceType(caller, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  const placed = { name: "Pump", deviceTypeId: type.id, groupIds: [group.id] };
  const { id: device } = await devices.createDevice(caller, placed);
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  await enrollment.issueBundle(caller, { deviceId: device });
  const [certificate] = (await certificates.listCertificates(caller, { deviceId: device, skip: 0, limit: 1 })).items;
  return {
    device,
    deviceType: type.id,
    group: group.id,
    shift: (await groups.createShift(caller, { name: "Days", ...times })).id,
    threshold: (await rules.createThreshold(caller, { name: "Bearings", rules: [rule] })).id,
    anomaly: await addAnomaly({ database: server.app.database, clock: server.clock }, caller, device),
    ticket: (await tickets.openTicket(caller, { title: "Grease it", deviceId: device })).id,
    claim: (await enrollment.createClaim(caller, { intendedName: "Pump" })).id,
    certificate: certificate!.id,
    mqttClient: (await connections.createMqttClient(caller, { clientId: fresh(), username: fresh() })).id,
    apiKey: (await access.createKey(caller, { user: admin.email, name: "test", scopes: ["devices:read"] })).id,
    user: user.id,
    userEmail: user.email,
    adminEmail: admin.email,
  };
}

/** A name that is used once. */
export function fresh(): string {
  return `x${randomBytes(6).toString("hex")}`;
}

async function addUser({ app }: TestServer, { caller }: Pick<TestTenant, "caller">, role: Role) {
  return await app.access.createUser(caller, { email: `${fresh()}@example.com`, role });
}
