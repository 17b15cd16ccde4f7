import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Access, Caller, Role } from "../../src/access/access.ts";
import type { Database } from "../../src/db/database.ts";
import type { Devices } from "../../src/devices/devices.ts";
import type { Groups } from "../../src/groups/groups.ts";
import { DAY } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { openTestDatabase } from "../harness/database/database.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";
import { callerForUser } from "../harness/shell-caller.ts";

const clock = new FakeClock();
let database: Database & { remove(): Promise<void> };
let access: Access;
let devices: Devices;
let groups: Groups;
let acme: Caller;
let other: Caller;

before(async () => {
  database = await openTestDatabase();
  ({ access, devices, groups } = testFeatures({ database, clock }));
  for (const slug of ["acme", "other"]) await access.createTenant({ slug, name: slug });
  acme = await access.systemCaller("acme");
  other = await access.systemCaller("other");
});
after(async () => {
  await database.close();
  await database.remove();
});

const invalid = (detail: string) => ({ code: "invalid_request", detail });

test("a device added by hand shows every field of its record", async () => {
  const type = await devices.createDeviceType(acme, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  const group = await groups.createGroup(acme, { name: "North" });
  const made = await devices.createDevice(acme, {
    id: "pump-1",
    name: " Pump 1 ",
    deviceTypeId: type.id,
    groupIds: [group.id, group.id],
  });
  assert.deepEqual(made, {
    id: "pump-1",
    name: "Pump 1",
    description: "",
    deviceTypeId: type.id,
    groupIds: [group.id],
    thresholdIds: [],
    metadata: {},
    hardwareFingerprint: null,
    hardwareModel: null,
    agentVersion: null,
    agentCapabilities: [],
    macAddress: null,
    connectivity: { status: "never_seen", since: null, reason: null },
    lastSeenAt: null,
    certificateState: "none",
    createdAt: clock.now(),
    updatedAt: clock.now(),
  });
  assert.deepEqual(await devices.getDevice(acme, "pump-1"), made);
});

test("two tenants may each have a device with the same id, one tenant may not", async () => {
  await devices.createDevice(acme, { id: "twin", name: "ours" });
  await devices.createDevice(other, { id: "twin", name: "theirs" });
  assert.equal((await devices.getDevice(acme, "twin")).name, "ours");
  assert.equal((await devices.getDevice(other, "twin")).name, "theirs");
  await assert.rejects(devices.createDevice(acme, { id: "twin", name: "again" }), { code: "already_exists" });
});

test("a device without an id gets a random one that a topic can contain", async () => {
  const [one, two] = [await devices.createDevice(acme, { name: "a" }), await devices.createDevice(acme, { name: "a" })];
  assert.match(one.id, /^[a-z2-7]{16}$/);
  assert.notEqual(one.id, two.id);
});

test("an id that no topic, client id or file name can contain is refused", async () => {
  for (const id of ["", "a b", "a/b", "a.b", "#", "é", "x".repeat(65), "a\0"])
    await assert.rejects(devices.createDevice(acme, { id, name: "x" }), invalid(id));
});

test("another tenant's type or group in a body is answered like an unknown one", async () => {
  const type = await devices.createDeviceType(other, { name: "x", publishTopics: ["t/{deviceId}"] });
  const group = await groups.createGroup(other, { name: "x" });
  const nowhere = randomIds.uuid(clock.now());
  for (const id of [type.id, nowhere, "not-a-uuid"])
    await assert.rejects(devices.createDevice(acme, { id: "foreign", name: "x", deviceTypeId: id }), invalid(id));
  for (const id of [group.id, nowhere, "not-a-uuid"])
    await assert.rejects(devices.createDevice(acme, { id: "foreign", name: "x", groupIds: [id] }), invalid(id));
  await assert.rejects(devices.getDevice(acme, "foreign"), { code: "not_found" });
});

test("another tenant's record under a path is answered like an unknown one", async () => {
  const type = await devices.createDeviceType(other, { name: "x", publishTopics: ["t/{deviceId}"] });
  const group = await groups.createGroup(other, { name: "x" });
  await devices.createDevice(other, { id: "theirs", name: "x" });
  const missing = async (work: Promise<unknown>) =>
    await work.then(
      () => assert.fail("found"),
      (error: { code: string; message: string; detail?: string }) => [error.code, error.message, error.detail],
    );
  const nowhere = randomIds.uuid(clock.now());
  assert.deepEqual(
    await missing(devices.updateDeviceType(acme, type.id, { name: "mine" })),
    await missing(devices.updateDeviceType(acme, nowhere, { name: "mine" })),
  );
  assert.deepEqual(await missing(groups.getGroup(acme, group.id)), await missing(groups.getGroup(acme, "x")));
  assert.deepEqual(await missing(devices.getDevice(acme, "theirs")), await missing(devices.getDevice(acme, "\0")));
  assert.equal((await devices.updateDeviceType(other, type.id, {})).name, "x");
});

test("an update of a device type changes the given fields and keeps the rest", async () => {
  const made = await devices.createDeviceType(acme, {
    name: "Fan",
    publishTopics: ["a/{deviceId}"],
    subscribeTopics: ["cmd/{deviceId}"],
  });
  clock.advance(1000);
  const changed = await devices.updateDeviceType(acme, made.id, { publishTopics: ["b/{deviceId}"] });
  assert.deepEqual(changed, { ...made, publishTopics: ["b/{deviceId}"], updatedAt: clock.now() });
  assert.equal(await devices.tenantOfDeviceType(made.id), "acme");
  await assert.rejects(devices.updateDeviceType(acme, made.id, { publishTopics: ["#"] }), invalid("#"));
});

test("lists are newest first, filtered, paged, and restricted to one tenant", async () => {
  await access.createTenant({ slug: "lists", name: "lists" });
  const lister = await access.systemCaller("lists");
  const group = await groups.createGroup(lister, { name: "100% North" });
  for (let n = 0; n < 5; n++) {
    clock.advance(1);
    await devices.createDevice(lister, { id: `d_${n}`, name: `Dev ${n}`, groupIds: n % 2 === 0 ? [group.id] : [] });
  }
  const ids = async (query: object) => {
    const page = await devices.listDevices(lister, { skip: 0, limit: 50, ...query });
    return [page.total, ...page.items.map((item) => item.id)];
  };
  assert.deepEqual(await ids({}), [5, "d_4", "d_3", "d_2", "d_1", "d_0"]);
  assert.deepEqual(await ids({ skip: 1, limit: 2 }), [5, "d_3", "d_2"]);
  assert.deepEqual(await ids({ skip: 9 }), [5]);
  assert.deepEqual(await ids({ groupId: group.id }), [3, "d_4", "d_2", "d_0"]);
  assert.deepEqual(await ids({ groupId: "x" }), [0]);
  assert.deepEqual(await ids({ q: "EV 3" }), [1, "d_3"]);
  assert.deepEqual(await ids({ q: "%" }), [0]);
  assert.deepEqual(await ids({ q: "d_" }), [5, "d_4", "d_3", "d_2", "d_1", "d_0"]);
  assert.deepEqual(await ids({ connectivity: "online" }), [0]);
  assert.equal((await groups.listGroups(lister, { skip: 0, limit: 50, q: "100%" })).total, 1);
  assert.equal((await groups.listGroups(lister, { skip: 0, limit: 50, q: "1%N" })).total, 0);
});

test("a non-admin sees the devices of their groups; admins see all", async () => {
  await access.createTenant({ slug: "seen", name: "seen" });
  const system = await access.systemCaller("seen");
  const { id: userId } = await access.createUser(await access.systemCaller("seen"), {
    email: "op@seen.example",
    role: "operator",
  });
  const group = await groups.createGroup(system, { name: "mine", memberUserIds: [userId] });
  await devices.createDevice(system, { id: "in", name: "in", groupIds: [group.id] });
  await devices.createDevice(system, { id: "out", name: "out" });
  const as = (role: "admin" | "operator"): Caller => ({ ...system, rights: { kind: "user", userId, role } });
  const list = (caller: Caller) => devices.listDevices(caller, { skip: 0, limit: 50 });
  assert.deepEqual(
    (await list(as("operator"))).items.map((item) => item.id),
    ["in"],
  );
  assert.equal((await list(as("admin"))).total, 2);
  await assert.rejects(devices.getDevice(as("operator"), "out"), { code: "not_found" });
});

test("devices that are read together are each shown only to users who see them, whatever else was requested", async () => {
  await access.createTenant({ slug: "at-once", name: "At once" });
  const system = await access.systemCaller("at-once");
  const { id: userId } = await access.createUser(system, { email: "op@at-once.example", role: "operator" });
  const group = await groups.createGroup(system, { name: "mine", memberUserIds: [userId] });
  for (const [caller, id, groupIds] of [
    [system, "shared", [group.id]],
    [system, "own", []],
    [other, "shared", []],
  ] as const) {
    await devices.createDevice(caller, { id, name: `${id} of ${caller.tenantSlug}`, groupIds: [...groupIds] });
  }
  const operator: Caller = { ...system, rights: { kind: "user", userId, role: "operator" } };
  const asked: [Caller, string, string | undefined][] = [
    [system, "shared", "shared of at-once"],
    [system, "own", "own of at-once"],
    [operator, "shared", "shared of at-once"],
    [operator, "own", undefined],
    [other, "shared", "shared of other"],
    [other, "own", undefined],
    [system, 'a"b\\,{c}', undefined],
    [system, "NULL", undefined],
    [system, "", undefined],
  ];
  const many = Array.from({ length: 20 }, () => asked).flat();
  const shown = await Promise.allSettled(many.map(([caller, id]) => devices.getDevice(caller, id)));
  assert.deepEqual(
    shown.map((answer) => (answer.status === "fulfilled" ? answer.value.name : answer.reason.code)),
    many.map(([, , name]) => name ?? "not_found"),
  );
});

test("an operator edits a device of their groups, except its groups and its type; an admin edits those too", async () => {
  await access.createTenant({ slug: "edited", name: "Edited" });
  const system = await access.systemCaller("edited");
  const { id: userId } = await access.createUser(await access.systemCaller("edited"), {
    email: "op@edited.example",
    role: "operator",
  });
  const as = (role: Role): Caller => ({ ...system, rights: { kind: "user", userId, role } });
  const group = await groups.createGroup(system, { name: "In", memberUserIds: [userId] });
  const type = await devices.createDeviceType(system, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  await devices.createDevice(system, { id: "mine", name: "mine", deviceTypeId: type.id, groupIds: [group.id] });
  await devices.createDevice(system, { id: "out", name: "out" });
  const same = { name: "Pump 1", deviceTypeId: type.id, groupIds: [group.id] };

  assert.equal((await devices.replaceDevice(as("operator"), "mine", same)).name, "Pump 1");
  await assert.rejects(devices.replaceDevice(as("operator"), "out", { name: "x" }), { code: "not_found" });
  const refused = { code: "insufficient_role", detail: "admin" };
  for (const change of [{ groupIds: [] }, { groupIds: undefined }, { deviceTypeId: null }, { deviceTypeId: undefined }])
    await assert.rejects(devices.replaceDevice(as("operator"), "mine", { ...same, ...change }), refused);
  await assert.rejects(devices.replaceDevice(as("viewer"), "mine", same), { code: "insufficient_role" });
  assert.deepEqual((await devices.getDevice(system, "mine")).groupIds, [group.id]);
  const bare = await devices.replaceDevice(as("admin"), "mine", { name: "Pump 1" });
  assert.deepEqual([bare.groupIds, bare.deviceTypeId], [[], null]);
});

test("a group accepts users of its tenant, and a deleted user is no longer a member", async () => {
  const user = await access.createUser(await access.systemCaller("acme"), {
    email: "member@acme.example",
    role: "viewer",
  });
  const foreign = await access.createUser(await access.systemCaller("other"), {
    email: "member@other.example",
    role: "viewer",
  });
  await assert.rejects(groups.createGroup(acme, { name: "x", memberUserIds: [foreign.id] }), invalid(foreign.id));
  const made = await groups.createGroup(acme, { name: "x", description: "two\nlines", memberUserIds: [user.id] });
  assert.deepEqual(await groups.getGroup(acme, made.id), made);
  assert.deepEqual(made.memberUserIds, [user.id]);
  await access.deleteUser(await callerForUser(access, user.email), user.email);
  assert.deepEqual((await groups.getGroup(acme, made.id)).memberUserIds, []);
});

test("the certificate state is that of the live certificate that ends last, or else that of the newest", async () => {
  await devices.createDevice(acme, { id: "certified", name: "x" });
  const { uid } = await database.db
    .selectFrom("devices")
    .select("uid")
    .where("id", "=", "certified")
    .executeTakeFirstOrThrow();
  const start = clock.now().getTime();
  const day = (n: number) => new Date(start + n * DAY);
  const state = async () => (await devices.getDevice(acme, "certified")).certificateState;
  const add = async (kind: "self_enrolled" | "platform", issued: number, renewAfter: number | null, until: number) => {
    const id = randomIds.uuid(day(issued));
    await database.db
      .insertInto("certificates")
      .values({
        id,
        tenant_id: acme.tenantId,
        device_uid: uid,
        device_id: "certified",
        kind,
        serial_number: id,
        fingerprint_sha256: id,
        spki_sha256: Buffer.alloc(32),
        der: Buffer.alloc(1),
        subject: "",
        publish_topics: [],
        subscribe_topics: [],
        issued_at: day(issued),
        not_before: day(issued),
        not_after: day(until),
        renew_after: renewAfter === null ? null : day(renewAfter),
        issued_by: "system",
        claim_id: null,
        revoked_at: null,
        revoked_by: null,
        revocation_reason: null,
        superseded_by_id: null,
        last_connected_at: null,
      })
      .execute();
    return id;
  };
  const revoke = (id: string) =>
    database.db
      .updateTable("certificates")
      .set({ revoked_at: clock.now(), revoked_by: "system", revocation_reason: "requested" })
      .where("id", "=", id)
      .execute();

  const first = await add("self_enrolled", 0, 21, 30);
  assert.equal(await state(), "active");
  clock.advance(21 * DAY);
  assert.equal(await state(), "renewal_due");
  clock.advance(9 * DAY);
  assert.equal(await state(), "expired");
  const bundle = await add("platform", 30, null, 395);
  assert.equal(await state(), "active");
  clock.advance(335 * DAY);
  assert.equal(await state(), "expiring");
  await revoke(bundle);
  assert.equal(await state(), "revoked");
  await revoke(first);
  assert.equal(await state(), "revoked");
});
