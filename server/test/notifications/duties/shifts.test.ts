import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { LIMITS, type NewShift, type Rotation, type ShiftRecord } from "../../../src/groups/groups.ts";
import { MINUTE } from "../../../src/lib/clock.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { callerForUser } from "../../harness/shell-caller.ts";

const NOWHERE = "00000000-0000-7000-8000-000000000000";
const NIGHTS: NewShift = {
  name: "Nights",
  timeZone: "Europe/Berlin",
  startTime: "22:00",
  endTime: "06:00",
  daysOfWeek: ["sun", "mon"],
};

let server: TestServer;
let tenant: TestTenant;
let otherTenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  otherTenant = await newTenant(server);
});
after(() => server.stop());

/** Calls the public API with a separate key that has all rights to groups and shifts. */
async function caller(of = tenant) {
  const key = await newKey(server, of, "groups:*", "shifts:*");
  return (path: string, body?: unknown) =>
    https(`${server.httpUrl}/api/v1${path}`, {
      ca: server.ca,
      headers: { "x-api-key": key },
      ...(body === undefined ? {} : { body }),
    });
}

const createShift = (input: Partial<NewShift> = {}, of = tenant): Promise<ShiftRecord> =>
  server.app.groups.createShift(of.caller, { ...NIGHTS, ...input });

test("a group is stored with its channels and escalation steps exactly as given", async () => {
  const call = await caller();
  const body = {
    name: "Pump hall",
    memberUserIds: [tenant.admin.id, tenant.admin.id],
    channels: [
      { type: "email", target: "o'hara+pumps@Acme.example" },
      { type: "webhook", target: "https://hooks.acme.example:8443/p?token=a%20b" },
      { type: "webhook", target: "https://[2001:db8::1]/x" },
    ],
    escalation: [
      { afterMinutes: 0, notify: "shift" },
      { afterMinutes: 15, notify: "members" },
      { afterMinutes: LIMITS.afterMinutes, notify: "channels" },
    ],
  };
  const { json: made, status } = await call("/groups", body);
  assert.equal(status, 201);
  const { id, createdAt, updatedAt, ...rest } = made;
  const unconfirmedChannels = body.channels;
  assert.deepEqual(rest, {
    ...body,
    description: "",
    memberUserIds: [tenant.admin.id],
    externalId: null,
    shiftIds: [],
    unconfirmedChannels,
  });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual((await call(`/groups/${id}`)).json, made);
  assert.deepEqual((await call("/groups?q=pump+HALL")).json.items, [made]);
});

const email = (target: unknown) => ({ channels: [{ type: "email", target }] });
const webhook = (target: unknown) => ({ channels: [{ type: "webhook", target }] });
const steps = (...minutes: unknown[]) => ({
  escalation: minutes.map((afterMinutes) => ({ afterMinutes, notify: "shift" })),
});
const twice = { type: "email", target: "a@b.example" };

/** Defects of a group, and the `detail` of its refusal. */
const BAD_GROUPS: [object, string][] = [
  ...["a@b@c", "ab", "@b", "a@", "a b@c", "a@b\r\nBcc: c@d", "a,b@c", "<a@b>", "a@-b", "a@b..c", "ä@b", "a@b;", ""].map(
    (target) => [email(target), "channels.0.target"] as [object, string],
  ),
  ...[
    "http://a.example",
    "ftp://a.example",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "//a.example",
    "https:a.example",
    "https:/a.example",
    "https:///a.example",
    "https://",
    "https://user@a.example/",
    "https://user:password@a.example/",
    "https://:@a.example/",
    "https://a.example/#part",
    "https://a.example/a b",
    " https://a.example/",
    "https://a.example/\n",
    "https://a.example\\@b.example/",
    "https://a.example:99999/",
    "https://a<b/",
    `https://a.example/${"x".repeat(LIMITS.targetCharacters)}`,
  ].map((target) => [webhook(target), "channels.0.target"] as [object, string]),
  [email(`${"a".repeat(64)}@${"b.".repeat(100)}c`), "channels.0.target"],
  [email(7), "channels.0.target"],
  [{ channels: [{ type: "sms", target: "+49 30 1" }] }, "channels.0.type"],
  [{ channels: [{ ...twice, secret: "x" }] }, "channels.0.secret"],
  [{ channels: [twice, { type: "email", target: "b@b.example" }, twice] }, "channels.2"],
  [{ channels: Array.from({ length: 21 }, (_, n) => ({ ...twice, target: `${n}@b.example` })) }, "channels"],
  [{ channels: "a@b.example" }, "channels"],
  [steps(-1), "escalation.0.afterMinutes"],
  [steps(0.5), "escalation.0.afterMinutes"],
  [steps("5"), "escalation.0.afterMinutes"],
  [steps(LIMITS.afterMinutes + 1), "escalation.0.afterMinutes"],
  [steps(5, 5), "escalation.1.afterMinutes"],
  [steps(5, 10, 9), "escalation.2.afterMinutes"],
  [steps(...Array(11).keys()), "escalation"],
  [{ escalation: [{ afterMinutes: 0, notify: "everybody" }] }, "escalation.0.notify"],
  [{ escalation: [{ afterMinutes: 0 }] }, "escalation.0.notify"],
  [{ shiftIds: [] }, "shiftIds"],
  [{ memberUserIds: [NOWHERE] }, NOWHERE],
];

test("a group with unusable channels or steps is refused, and the error names the position", async () => {
  const call = await caller();
  for (const [wrong, detail] of BAD_GROUPS) {
    const { status, json } = await call("/groups", { name: "x", ...wrong });
    assert.deepEqual([status, json.error, json.detail], [400, "invalid_request", detail], JSON.stringify(wrong));
  }
  assert.equal((await call("/groups?q=x")).json.total, 0);
});

test("shifts are listed newest first and by a part of the name, and shown with every field", async () => {
  const call = await caller();
  const more = { validFrom: "2026-12-01", validUntil: "2026-12-01", userIds: [tenant.admin.id] };
  const first = await createShift({ name: "100% listed", timeZone: "utc" });
  const second = await createShift({ name: "Listed too", timeZone: "Asia/Kolkata", ...more });
  const { id, ...rest } = (await call(`/shifts/${second.id}`)).json;
  const times = { timeZone: "Asia/Kolkata", startTime: "22:00", endTime: "06:00", daysOfWeek: ["mon", "sun"] };
  assert.deepEqual(rest, {
    name: "Listed too",
    externalId: null,
    ...times,
    ...more,
    layer: 0,
    rotation: null,
    groupIds: [],
    onDuty: rest.onDuty,
  });
  assert.equal(first.timeZone, "UTC");
  const found = async (query: string) => {
    const { items, total } = (await call(`/shifts?${query}`)).json;
    return [total, ...items.map((item: ShiftRecord) => item.id)];
  };
  assert.deepEqual(await found("q=LISTED"), [2, id, first.id]);
  assert.deepEqual(await found("q=LISTED&skip=1&limit=1"), [2, first.id]);
  assert.deepEqual(await found("q=100%25"), [1, first.id]);
  assert.deepEqual(await found("q=1%25l"), [0]);
  assert.deepEqual(await found("limit=2"), [2, id, first.id]);
  assert.equal((await (await caller(otherTenant))("/shifts")).json.total, 0);
});

test("a shift is on duty from its start until its end, in the wall time of its zone", async () => {
  const call = await caller();
  const local = (minutes: number) =>
    new Date(server.clock.now().getTime() + (330 + minutes) * MINUTE).toISOString().slice(11, 16);
  const { id } = await createShift({
    timeZone: "Asia/Kolkata",
    startTime: local(10),
    endTime: local(70),
    daysOfWeek: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  });
  const tags = new Set<unknown>();
  const seen = [];
  for (const minutes of [0, 11, 48, 12]) {
    server.clock.advance(minutes * MINUTE);
    const { json, headers } = await call(`/shifts/${id}`);
    seen.push(json.onDuty);
    tags.add(headers.etag);
  }
  assert.deepEqual(seen, [false, true, true, false]);
  assert.equal(tags.size, 2);
});

const TURNS: Rotation = {
  unit: "week",
  every: 1,
  startDate: "2026-11-02",
  handOverTime: "09:00",
  turns: [["a"], ["b"]],
};

const BAD_SHIFTS: [Partial<NewShift>, string?][] = [
  ...["", "CET+1", "+02:00", "Europe/Nowhere", "Berlin", "__proto__", "\0"].map(
    (timeZone) => [{ timeZone }, timeZone] as [Partial<NewShift>, string],
  ),
  ...["24:00", "7:00", "07:60", "07:00:00", "", "٠٧:00"].flatMap((time): [Partial<NewShift>, string][] => [
    [{ startTime: time }, time],
    [{ endTime: time }, time],
  ]),
  [{ daysOfWeek: [] }],
  [{ daysOfWeek: ["mon", "mon"] }, "mon"],
  [{ daysOfWeek: ["Monday"] }, "Monday"],
  ...["2026-02-30", "2026-2-3", "26-02-03", "1969-12-31", "2026-01-01T00:00", "tomorrow", ""].map(
    (validFrom) => [{ validFrom }, validFrom] as [Partial<NewShift>, string],
  ),
  [{ validFrom: "2026-02-02", validUntil: "2026-02-01" }, "2026-02-01"],
  [{ userIds: ["nobody"] }, "nobody"],
  [{ userIds: [NOWHERE] }, NOWHERE],
  [{ name: " " }],
  [{ rotation: { ...TURNS, turns: [["a"]] } }, "rotation.turns"],
  [{ rotation: { ...TURNS, turns: [["a"], []] } }, "rotation.turns.1"],
  [{ rotation: { ...TURNS, turns: [["a"], ["b", "b"]] } }, "rotation.turns.1"],
  [{ rotation: { ...TURNS, startDate: "2026-02-30" } }, "2026-02-30"],
  [{ rotation: { ...TURNS, handOverTime: "24:00" } }, "24:00"],
  [{ rotation: { ...TURNS, turns: [["a"], ["b"]] }, userIds: ["a"] }, "userIds"],
  [{ rotation: { ...TURNS, turns: [["a"], [NOWHERE]] } }, NOWHERE],
];

test("an impossible shift is refused, and the error names the value", async () => {
  for (const [wrong, detail] of BAD_SHIFTS)
    await assert.rejects(createShift(wrong), { code: "invalid_request", detail }, JSON.stringify(wrong));
  await assert.rejects(createShift({ userIds: [otherTenant.admin.id] }), { detail: otherTenant.admin.id });
  const viewer = { ...tenant.caller, rights: { kind: "user", userId: NOWHERE, role: "viewer" } as const };
  await assert.rejects(server.app.groups.createShift(viewer, NIGHTS), { code: "insufficient_role" });
});

test("a shift is assigned to a group, both show it, and repeating the assignment changes nothing", async () => {
  const call = await caller();
  const group = (await call("/groups", { name: "Assigned" })).json;
  const { id: shiftId } = await createShift();
  server.clock.advance(1000);
  const first = await call(`/groups/${group.id}/shifts`, { shiftId });
  assert.deepEqual(
    [first.status, first.json],
    [200, { ...group, shiftIds: [shiftId], updatedAt: server.clock.now().toISOString() }],
  );
  server.clock.advance(1000);
  assert.deepEqual((await call(`/groups/${group.id}/shifts`, { shiftId })).json, first.json);
  assert.deepEqual((await call(`/groups/${group.id}`)).json, first.json);
  assert.deepEqual((await call(`/shifts/${shiftId}`)).json.groupIds, [group.id]);
});

test("another tenant's group is 404 and another tenant's shift 400 with its id, like unknown ids", async () => {
  const call = await caller();
  const [ours, theirs] = await Promise.all(
    [tenant, otherTenant].map((each) => server.app.groups.createGroup(each.caller, { name: "one" })),
  );
  const [shift, foreign] = [await createShift(), await createShift({}, otherTenant)];
  const answer = async (groupId: string, shiftId: string) => {
    const { status, json } = await call(`/groups/${groupId}/shifts`, { shiftId });
    const { requestId: _, ...body } = json;
    return { status, ...body };
  };
  const unknown = await answer(NOWHERE, shift.id);
  assert.deepEqual([unknown.status, unknown.error], [404, "not_found"]);
  for (const id of [theirs!.id, "no-uuid"]) assert.deepEqual(await answer(id, shift.id), unknown);
  assert.deepEqual(await answer(theirs!.id, foreign.id), unknown);
  const nowhere = await answer(ours!.id, NOWHERE);
  assert.deepEqual([nowhere.status, nowhere.error, nowhere.detail], [400, "invalid_request", NOWHERE]);
  for (const id of [foreign.id, "no-uuid"])
    assert.deepEqual(await answer(ours!.id, id), { ...nowhere, detail: id }, id);
  assert.equal((await call(`/shifts/${foreign.id}`)).status, 404);
});

test("the database refuses a group, a shift and a user of different tenants, and an empty week", async () => {
  const { db } = server.app.database;
  const group = await server.app.groups.createGroup(tenant.caller, { name: "ours" });
  const [shift, foreign] = [await createShift(), await createShift({}, otherTenant)];
  for (const { tenantId: tenant_id } of [tenant.caller, otherTenant.caller]) {
    const puts = db.insertInto("group_shifts").values({ tenant_id, group_id: group.id, shift_id: foreign.id });
    await assert.rejects(puts.execute(), { code: "23503" });
    const joins = db.insertInto("shift_users").values({ tenant_id, shift_id: shift.id, user_id: otherTenant.admin.id });
    await assert.rejects(joins.execute(), { code: "23503" });
  }
  for (const days_of_week of [[], ["mon", "mon"], ["mon", "someday"]]) {
    const changes = db.updateTable("shifts").set({ days_of_week: days_of_week as "mon"[] });
    await assert.rejects(changes.where("id", "=", shift.id).execute(), { code: "23514" });
  }
});

test("one shift assigned to a group ten times simultaneously is assigned once, and each request is answered 200", async () => {
  const call = await caller();
  const { id } = await server.app.groups.createGroup(tenant.caller, { name: "contested" });
  const { id: shiftId } = await createShift();
  const answers = await Promise.all(Array.from({ length: 10 }, () => call(`/groups/${id}/shifts`, { shiftId })));
  for (const { status, json } of answers) assert.deepEqual([status, json.shiftIds], [200, [shiftId]]);
  const log = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 50 })).items;
  const results = log.filter((each) => each.resourceId === id).map(({ result }) => result);
  assert.deepEqual(results.sort(), [...Array(9).fill("unchanged"), "updated"]);
});

test("the number of a group's shifts is limited", async () => {
  const { groups, database } = server.app;
  const { tenantId: tenant_id } = tenant.caller;
  const { id } = await groups.createGroup(tenant.caller, { name: "full" });
  const [last, tooMany] = [await createShift(), await createShift()];
  const one = database.db.selectFrom("shifts").selectAll().where("id", "=", last.id);
  const { id: _, ...copied } = await one.executeTakeFirstOrThrow();
  const copies = Array.from({ length: LIMITS.shiftsOfGroup - 1 }, () => ({ ...copied, id: randomUUID() }));
  await database.db.insertInto("shifts").values(copies).execute();
  const links = copies.map((copy) => ({ tenant_id, group_id: id, shift_id: copy.id }));
  await database.db.insertInto("group_shifts").values(links).execute();
  const full = await groups.assignShift(tenant.caller, id, last.id);
  assert.equal(full.shiftIds.length, LIMITS.shiftsOfGroup);
  const refused = { code: "invalid_request", message: /at most 100 shifts/ };
  await assert.rejects(groups.assignShift(tenant.caller, id, tooMany.id), refused);
  assert.deepEqual(await groups.getGroup(tenant.caller, id), full);
});

test("a deleted user is on no shift", async () => {
  const { id, email } = await server.app.access.createUser(await server.app.access.systemCaller(tenant.slug), {
    email: `night@${tenant.slug}.example`,
    role: "operator",
  });
  const shift = await createShift({ userIds: [id, tenant.admin.id] });
  assert.deepEqual(shift.userIds, [id, tenant.admin.id].sort());
  await server.app.access.deleteUser(await callerForUser(server.app.access, email), email);
  assert.deepEqual((await server.app.groups.getShift(tenant.caller, shift.id)).userIds, [tenant.admin.id]);
});
