import { randomBytes } from "node:crypto";
import { type Caller, type LeastRole, type Role, userIdOf } from "../../../src/access/access.ts";
import { DAYS_OF_WEEK } from "../../../src/groups/groups.ts";
import { addMs, HOUR } from "../../../src/lib/clock.ts";
import { addAnomaly } from "../../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import type { TestServer } from "../../harness/server.ts";
import { confirmWebhook, disableWebhook } from "../../harness/webhooks.ts";

/**
 * The ids of one record of each kind, as arguments of use cases. The device is in the group, and the other records
 * concern the device.
 */
export interface Records {
  device: string;
  deviceType: string;
  group: string;
  integration: string;
  shift: string;
  /** A shift that the group uses. */
  assignedShift: string;
  /** A group on whose shift the callers are on duty. */
  rosteredGroup: string;
  /** A user who takes everybody's duty in the group. */
  override: string;
  /** A duty that is offered to everyone of the group. */
  offer: string;
  /** A duty that is offered to the viewer among the callers. */
  offerToViewer: string;
  /** An absence of a user, and one of the viewer among the callers. */
  absence: string;
  viewerAbsence: string;
  /** The address of a calendar of the viewer among the callers. */
  dutyFeed: string;
  /** A maintenance window in effect over the device. */
  maintenanceWindow: string;
  threshold: string;
  /** A pending command for the device. */
  command: string;
  /** The topic on which the device receives commands. */
  commandTopic: string;
  anomaly: string;
  ticket: string;
  claim: string;
  certificate: string;
  /** The device, which has a certificate. */
  certifiedDevice: string;
  /** A device that enrolled with a claim. */
  enrolledDevice: string;
  /** The client id of an MQTT client. */
  mqttClient: string;
  /** The client id of a disabled MQTT client. */
  disabledMqttClient: string;
  /** The client id of an MQTT client that is traced. */
  tracedClient: string;
  /** An unconfirmed webhook. */
  webhook: string;
  confirmedWebhook: string;
  /** A webhook that answered 410. */
  disabledWebhook: string;
  apiKey: string;
  serviceAccount: string;
  /** A user whom a test may change. */
  user: string;
  userEmail: string;
  invite: string;
  /** The address of the audit stream. */
  auditStream: string;
  scimToken: string;
  /** The issuer of the tenant's identity provider. */
  provider: string;
  /** A domain of the tenant's e-mail addresses. */
  tenantDomain: string;
  /** A group of the identity provider. */
  scimGroup: string;
  /** A filter of the viewer among the callers, or else of another user. */
  savedFilter: string;
  /** An admin of the tenant. */
  adminEmail: string;
}

/** A provider that is not switched on. */
export const PROVIDER = {
  issuer: "https://identity.example",
  clientId: "muster",
  clientSecret: "secret",
  scopes: ["openid", "email"],
  enabled: false,
  firstSignIn: "refused" as const,
  rule: "password" as const,
  breakGlass: [],
  mapping: null,
};

/** Ids that no tenant has. */
export const NOWHERE: Records = {
  provider: "https://no-such-provider.example",
  tenantDomain: "no-such-domain.example",
  device: "no-such-device",
  deviceType: "00000000-0000-7000-8000-000000000001",
  group: "00000000-0000-7000-8000-000000000002",
  integration: "00000000-0000-7000-8000-00000000001c",
  shift: "00000000-0000-7000-8000-000000000003",
  assignedShift: "00000000-0000-7000-8000-00000000000b",
  rosteredGroup: "00000000-0000-7000-8000-00000000002a",
  override: "00000000-0000-7000-8000-00000000002b",
  offer: "00000000-0000-7000-8000-00000000002c",
  offerToViewer: "00000000-0000-7000-8000-00000000002d",
  absence: "00000000-0000-7000-8000-00000000002e",
  viewerAbsence: "00000000-0000-7000-8000-00000000002f",
  dutyFeed: "00000000-0000-7000-8000-000000000030",
  maintenanceWindow: "00000000-0000-7000-8000-00000000000f",
  threshold: "00000000-0000-7000-8000-000000000004",
  anomaly: "00000000-0000-7000-8000-000000000005",
  ticket: "00000000-0000-7000-8000-000000000006",
  claim: "00000000-0000-7000-8000-000000000007",
  certifiedDevice: "no-such-device",
  enrolledDevice: "no-such-device",
  certificate: "00000000-0000-7000-8000-000000000008",
  mqttClient: "no-such-client",
  disabledMqttClient: "no-such-client",
  tracedClient: "no-such-client",
  webhook: `00000000-0000-7000-8000-00000000000c-${"0".repeat(32)}`,
  confirmedWebhook: `00000000-0000-7000-8000-00000000000d-${"0".repeat(32)}`,
  disabledWebhook: `00000000-0000-7000-8000-00000000000e-${"0".repeat(32)}`,
  apiKey: "nosuchke",
  serviceAccount: "00000000-0000-7000-8000-00000000001d",
  user: "00000000-0000-7000-8000-000000000009",
  userEmail: "unknown-user@example.com",
  command: "00000000-0000-7000-8000-00000000000b",
  commandTopic: "t/no-such-tenant/commands/no-such-device",
  invite: "00000000-0000-7000-8000-00000000000a",
  auditStream: "https://nowhere.example.com/",
  scimToken: "00000000-0000-7000-8000-00000000000c",
  scimGroup: "00000000-0000-7000-8000-00000000000d",
  savedFilter: "00000000-0000-7000-8000-00000000000c",
  adminEmail: "unknown-admin@example.com",
};

/** The address of the group's webhook. */
export const WEBHOOK = "https://hooks.example.com/pump-hall";

/** A tenant with one user per role. */
export interface Staff extends TestTenant {
  callers: Record<Role, Caller>;
}

export async function addStaff(server: TestServer): Promise<Staff> {
  const tenant = await newTenant(server);
  const as = async (role: Role) => {
    const { id: userId } = await addUser(server, tenant, role);
    return asUser(tenant.caller, userId, role);
  };
  const callers = { admin: await as("admin"), operator: await as("operator"), viewer: await as("viewer") };
  return { ...tenant, callers };
}

function asUser(caller: Caller, userId: string, role: Role): Caller {
  return { ...caller, actor: `user:${userId}`, rights: { kind: "user", userId, role } };
}

/** Returns a user with the least rights that a rule requires of users. */
export function leastCaller({ callers }: Staff, role: LeastRole): Caller {
  if (role !== "platform") return callers[role];
  const { admin } = callers;
  return { ...admin, rights: { ...admin.rights, platform: true } as Caller["rights"] };
}

/** A tenant, and those of its users who must see its records. */
export type Seers = Omit<Staff, "callers"> & { callers: Partial<Staff["callers"]> };

/** Creates one record of each given kind, visible to the callers. */
export async function addRecords(server: TestServer, staff: Seers, kinds = Object.keys(NOWHERE)): Promise<Records> {
  const create = creators(server, staff);
  const records = { ...NOWHERE };
  for (const kind of kinds as (keyof Records)[]) records[kind] = await create[kind]();
  return records;
}

/** Returns the kinds of records whose ids `args` uses. */
export function kindsUsed(args: (ids: Records) => unknown): string[] {
  const used = new Set<string>();
  args(new Proxy(NOWHERE, { get: (ids, kind) => used.add(String(kind)) && Reflect.get(ids, kind) }));
  return [...used];
}

type Creators = { [Kind in keyof Records]: () => Promise<string> };

/** Returns functions that create a record of their kind. */
function creators(server: TestServer, { caller, admin, callers }: Seers): Creators {
  const { access, certificates, commands, connections, devices, enrollment, groups, rules, tickets } = server.app;
  const staff = Object.values(callers).flatMap(({ rights }) => (rights.kind === "user" ? [rights.userId] : []));
  const place = { database: server.app.database, clock: server.clock };
  const page = { skip: 0, limit: 1 };
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  const user = once(() => addUser(server, { caller }, "viewer"));
  const deviceType = once(() =>
    devices.createDeviceType(caller, { name: "Pump", publishTopics: [], subscribeTopics: ["commands/{deviceId}"] }),
  );
  const group = once(() =>
    groups.createGroup(caller, {
      name: "Pump hall",
      memberUserIds: staff,
      channels: [{ type: "webhook", target: WEBHOOK }],
    }),
  );
  const device = once(async () =>
    devices.createDevice(caller, { name: "x", deviceTypeId: (await deviceType()).id, groupIds: [(await group()).id] }),
  );
  const deviceId = async () => (await device()).id;
  const certificate = async () => {
    await enrollment.issueBundle(caller, { deviceId: await deviceId() });
    return (await certificates.listCertificates(caller, { deviceId: await deviceId(), ...page })).items[0]!.id;
  };
  const mqttClient = async () => {
    const clientId = fresh();
    await connections.createMqttClient(caller, { clientId, username: fresh() });
    return clientId;
  };
  const webhook = async () =>
    server.app.notifications.createWebhook(caller, { groupId: (await group()).id, url: `${WEBHOOK}/${fresh()}` });
  const rostered = async (userIds: string[]) => {
    const made = await groups.createGroup(caller, { name: "Rostered", memberUserIds: staff });
    const always = { timeZone: "UTC", startTime: "00:00", endTime: "00:00", daysOfWeek: DAYS_OF_WEEK };
    const shift = await groups.createShift(caller, { name: "Always", ...always, userIds });
    return await groups.assignShift(caller, made.id, shift.id);
  };
  const offered = async (userId: string | null) => {
    const { id } = await addUser(server, { caller }, "viewer");
    const [startsAt, endsAt] = [server.clock.now(), addMs(server.clock.now(), HOUR)];
    const offer = { userId, startsAt, endsAt };
    return (await server.app.notifications.offerDuty(asUser(caller, id, "viewer"), (await rostered([id])).id, offer))
      .id;
  };
  const absent = async (userId: string) => {
    const absence = { userId, endsAt: addMs(server.clock.now(), HOUR) };
    return (await server.app.notifications.createAbsence(caller, absence)).id;
  };
  const commandTopic = async () => `t/${caller.tenantSlug}/commands/${await deviceId()}`;
  return {
    command: async () =>
      (await commands.sendCommand(caller, await deviceId(), { topic: await commandTopic(), payload: "x" })).id,
    commandTopic,
    device: deviceId,
    deviceType: async () => (await deviceType()).id,
    group: async () => (await group()).id,
    integration: async () => {
      const slack = { type: "slack", name: "Pumps", settings: { webhookUrl: WEBHOOK } } as const;
      return (await server.app.notifications.createIntegration(caller, slack)).id;
    },
    shift: async () => (await groups.createShift(caller, { name: "Days", ...times })).id,
    assignedShift: async () => {
      const { id } = await groups.createShift(caller, { name: "Days", ...times });
      await groups.assignShift(caller, (await group()).id, id);
      return id;
    },
    rosteredGroup: async () => (await rostered(staff)).id,
    override: async () => {
      const endsAt = addMs(server.clock.now(), HOUR);
      const [{ id }, { id: userId }] = [await group(), await user()];
      return (await server.app.notifications.createOverride(caller, id, { userId, endsAt })).id;
    },
    offer: async () => await offered(null),
    offerToViewer: async () => await offered(callers.viewer ? userIdOf(callers.viewer) : null),
    absence: async () => await absent((await user()).id),
    viewerAbsence: async () => await absent(callers.viewer ? userIdOf(callers.viewer)! : (await user()).id),
    dutyFeed: async () => {
      const viewer = callers.viewer ?? asUser(caller, (await addUser(server, { caller }, "viewer")).id, "viewer");
      return (await server.app.notifications.createFeed(viewer)).id;
    },
    maintenanceWindow: async () => {
      const window = { name: "Firmware", covers: "devices" as const, deviceIds: [await deviceId()] };
      const endsAt = addMs(server.clock.now(), HOUR);
      return (await server.app.notifications.createWindow(caller, { ...window, endsAt })).id;
    },
    threshold: async () => (await rules.createThreshold(caller, { name: "Bearings", rules: [rule] })).id,
    anomaly: async () => addAnomaly(place, caller, await deviceId()),
    ticket: async () => (await tickets.openTicket(caller, { title: "Grease it", deviceId: await deviceId() })).id,
    claim: async () => (await enrollment.createClaim(caller, { intendedName: "Pump" })).id,
    certificate,
    certifiedDevice: async () => {
      await certificate();
      return await deviceId();
    },
    enrolledDevice: async () => {
      const id = await deviceId();
      const fingerprint = { hardware_fingerprint: id, fingerprint_key: id };
      await server.app.database.db.updateTable("devices").set(fingerprint).where("id", "=", id).execute();
      return id;
    },
    mqttClient,
    disabledMqttClient: async () => {
      const clientId = await mqttClient();
      await connections.disableMqttClient(caller, clientId);
      return clientId;
    },
    tracedClient: once(async () => {
      const clientId = await mqttClient();
      await connections.startTrace(caller, clientId);
      return clientId;
    }),
    webhook: async () => (await webhook()).id,
    confirmedWebhook: async () => {
      const { id, url } = await webhook();
      await confirmWebhook(server, url);
      return id;
    },
    disabledWebhook: async () => {
      const { id, url } = await webhook();
      await disableWebhook(server, url);
      return id;
    },
    apiKey: async () =>
      (await access.createKey(caller, { user: admin.email, name: "test", scopes: ["devices:read"] })).id,
    serviceAccount: async () => {
      const account = { name: fresh(), role: "viewer", contactUserId: admin.id, expiresInDays: 30 } as const;
      return (await server.app.groups.createServiceAccount(caller, account)).id;
    },
    user: async () => (await user()).id,
    userEmail: async () => (await user()).email,
    savedFilter: async () => {
      const owner = callers.viewer ?? asUser(caller, (await user()).id, "viewer");
      return (await access.saveFilter(owner, { list: "tickets", name: fresh(), values: {} })).id;
    },
    invite: async () =>
      (await server.app.identity.inviteUser(caller, { email: `${fresh()}@example.com`, role: "viewer" })).id,
    auditStream: async () => {
      const stream = { kind: "https", target: `https://siem.example.com/${fresh()}` } as const;
      return (await server.app.notifications.setAuditStream(caller, stream)).target;
    },
    tenantDomain: async () => (await access.addTenantDomain(caller, `${fresh()}.example`)).domain,
    provider: async () => {
      const issuer = `https://${fresh()}.example`;
      await server.app.identity.saveSingleSignOn(caller, { ...PROVIDER, issuer });
      return issuer;
    },
    scimToken: async () => (await server.app.scim.createScimToken(caller)).id,
    scimGroup: async () => {
      const provider = { ...caller, actor: "scim:test", address: "203.0.113.1" };
      return (await server.app.scim.createGroup(provider, { displayName: fresh() })).id;
    },
    adminEmail: async () => admin.email,
  };
}

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

/** Returns a unique name. */
export function fresh(): string {
  return `x${randomBytes(6).toString("hex")}`;
}

async function addUser({ app }: TestServer, { caller }: Pick<TestTenant, "caller">, role: Role) {
  return await app.access.createUser(caller, { email: `${fresh()}@example.com`, role });
}
