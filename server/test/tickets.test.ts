import assert from "node:assert/strict";
import { Agent } from "node:https";
import { after, before, test } from "node:test";
import type { Caller } from "../src/access/access.ts";
import { errorCodes } from "../src/api/openapi/openapi.ts";
import { routes } from "../src/api/routes.ts";
import { MINUTE } from "../src/lib/clock.ts";
import { TICKET_STATUSES, type TicketRecord } from "../src/tickets/tickets.ts";
import { movesFrom, type TicketStatus } from "../src/tickets/transitions.ts";
import { addAnomaly } from "./harness/anomalies.ts";
import { newKey, newTenant, type TestTenant } from "./harness/devices.ts";
import { type HttpAnswer, type HttpOptions, https } from "./harness/https.ts";
import { startServer, type TestServer } from "./harness/server.ts";
import { callerForUser } from "./harness/shell-caller.ts";

const NOWHERE = "00000000-0000-7000-8000-000000000000";
const page = { skip: 0, limit: 200 };

const agent = new Agent({ keepAlive: true });

let server: TestServer;
let tenant: TestTenant;
let stranger: TestTenant;
let key: string;
let asked = 0;

before(async () => {
  server = await startServer();
  [tenant, stranger] = [await newTenant(server), await newTenant(server)];
});
after(() => {
  agent.destroy();
  return server.stop();
});

/** Asks with a key that may read and write tickets; another one before its rate limit is used up. */
async function ask(path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  if (asked++ % 100 === 0) key = await newKey(server, tenant, "tickets:*");
  const headers = { "x-api-key": key, ...options.headers };
  const answer = await https(`${server.httpUrl}/api/v1/tickets${path}`, { ca: server.ca, agent, ...options, headers });
  if (answer.status >= 400) assertDeclared(options.method ?? (options.body === undefined ? "GET" : "POST"), answer);
  return answer;
}

function assertDeclared(method: string, { json }: HttpAnswer): void {
  const declared = routes.filter((route) => route.method === method && /tickets(\/\{id\})?$/.test(route.path));
  assert.ok(
    declared.some((route) => errorCodes(route).includes(json.error)),
    json.error,
  );
}

const post = (body: unknown) => ask("", { body });
const patch = (id: string, body: unknown, headers = {}) => ask(`/${id}`, { method: "PATCH", body, headers });

async function opened(body: object = {}): Promise<TicketRecord> {
  const answer = await post({ title: "Look at it", ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

/** A ticket that reached `status` by the fewest changes. */
async function ticketIn(status: TicketStatus, body: object = {}): Promise<TicketRecord> {
  const ways: Record<TicketStatus, TicketStatus[]> = {
    open: [],
    in_progress: ["in_progress"],
    on_hold: ["in_progress", "on_hold"],
    completed: ["in_progress", "completed"],
    cancelled: ["cancelled"],
  };
  const { id } = await opened(body);
  for (const step of ways[status]) await server.app.tickets.changeTicket(tenant.caller, id, { status: step });
  return (await ask(`/${id}`)).json;
}

const addDevice = async (of = tenant, more: object = {}) =>
  (await server.app.devices.createDevice(of.caller, { name: "Pump", ...more })).id;
const anomalyOf = (deviceId: string, of = tenant) =>
  addAnomaly({ database: server.app.database, clock: server.clock }, of.caller, deviceId);
const shownBy = async (anomalyId: string) => (await server.app.anomalies.getAnomaly(tenant.caller, anomalyId)).ticketId;

function assertRefused(answer: HttpAnswer, status: number, error: string, detail?: string): void {
  assert.deepEqual([answer.status, answer.json.error], [status, error], answer.text);
  if (detail !== undefined) assert.equal(answer.json.detail, detail);
}

test("a ticket needs only a title, and its record has every field", async () => {
  const answer = await post({ title: " Grease the bearing " });
  assert.equal(answer.status, 201);
  const now = server.clock.now().toISOString();
  assert.deepEqual(answer.json, {
    id: answer.json.id,
    number: answer.json.number,
    title: "Grease the bearing",
    description: "",
    type: "corrective",
    priority: "medium",
    status: "open",
    deviceId: null,
    anomalyId: null,
    groupId: null,
    assigneeUserId: null,
    dueAt: null,
    resolution: null,
    createdBy: `apikey:${key.split("_")[1]}`,
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    completedAt: null,
  });
  assert.deepEqual((await ask(`/${answer.json.id}`)).json, answer.json);
});

test("a ticket is opened with every writable field", async () => {
  const deviceId = await addDevice();
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Crew" });
  const body = {
    title: "Inspect",
    description: "Twice a year.\nTake the long ladder.",
    type: "inspection",
    priority: "urgent",
    deviceId,
    groupId: group.id,
    assigneeUserId: tenant.admin.id,
    dueAt: "2027-01-02T03:04:05.006+02:00",
  };
  const made = await opened(body);
  assert.deepEqual({ ...made }, { ...made, ...body, dueAt: "2027-01-02T01:04:05.006Z" });
  const none = { deviceId: null, anomalyId: null, groupId: null, assigneeUserId: null, dueAt: null };
  assert.equal((await opened(none)).deviceId, null);
});

test("an allowed status transition is made, any other is refused with the allowed ones", async () => {
  for (const from of TICKET_STATUSES) {
    for (const to of TICKET_STATUSES) {
      const ticket = await ticketIn(from);
      server.clock.advance(MINUTE);
      const answer = await patch(ticket.id, { status: to });
      const what = `${from} → ${to}: ${answer.text}`;
      if (to === from) assert.deepEqual([answer.status, answer.json], [200, ticket], what);
      else if (movesFrom(from).includes(to)) assert.deepEqual([answer.status, answer.json.status], [200, to], what);
      else {
        assertRefused(answer, 409, "invalid_transition", to);
        assert.deepEqual([answer.json.allowed, answer.json.middleware], [movesFrom(from), "handler"]);
        for (const allowed of movesFrom(from)) assert.ok(answer.json.message.includes(allowed), what);
        assert.deepEqual((await ask(`/${ticket.id}`)).json, ticket, what);
      }
    }
  }
});

test("startedAt is set once; completing sets completedAt, reopening clears it and keeps the resolution", async () => {
  const { id } = await opened();
  const move = async (body: object) => {
    server.clock.advance(MINUTE);
    return (await patch(id, body)).json;
  };
  const started = await move({ status: "in_progress" });
  assert.equal(started.startedAt, server.clock.now().toISOString());
  await move({ status: "on_hold" });
  const done = await move({ status: "completed", resolution: "New bearing" });
  assert.deepEqual([done.startedAt, done.completedAt], [started.startedAt, server.clock.now().toISOString()]);
  const again = await move({ status: "open" });
  assert.deepEqual([again.startedAt, again.completedAt, again.resolution], [started.startedAt, null, "New bearing"]);
  assert.equal((await move({ status: "in_progress", resolution: null })).startedAt, started.startedAt);
  const cancelled = await move({ status: "cancelled" });
  assert.deepEqual([cancelled.completedAt, cancelled.resolution], [null, null]);
});

test("a merge patch changes the given fields, empties those that are null, and keeps the rest", async () => {
  const deviceId = await addDevice();
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Crew" });
  const full = {
    title: "Valve",
    description: "sticks",
    type: "preventive",
    priority: "high",
    deviceId,
    groupId: group.id,
    assigneeUserId: tenant.admin.id,
    dueAt: "2027-01-01T00:00:00.000Z",
    resolution: "oiled",
  };
  let { id, ...before } = await opened();
  for (const [field, value] of Object.entries(full)) {
    server.clock.advance(1);
    const { json, status } = await patch(id, { [field]: value }, { "content-type": "application/merge-patch+json" });
    const updatedAt = server.clock.now().toISOString();
    assert.deepEqual([status, json], [200, { id, ...before, [field]: value, updatedAt }], field);
    before = { ...before, [field]: value, updatedAt } as unknown as typeof before;
  }
  for (const field of ["deviceId", "groupId", "assigneeUserId", "dueAt", "resolution"]) {
    const { json, status } = await patch(id, { [field]: null });
    assert.deepEqual([status, json[field]], [200, null], field);
  }
  const emptied = (await ask(`/${id}`)).json;
  assert.deepEqual([emptied.title, emptied.description, emptied.type], ["Valve", "sticks", "preventive"]);
  server.clock.advance(MINUTE);
  for (const nothing of [{}, { title: "Valve" }, { dueAt: null, status: "open" }])
    assert.deepEqual((await patch(id, nothing)).json, emptied);
});

test("a patch with a wrong, unknown or read-only field is 400 and changes nothing", async () => {
  const ticket = await opened();
  const refused: [body: unknown, detail?: string | undefined][] = [
    [{ title: null }, "title"],
    [{ title: "" }, "title"],
    [{ title: "  " }, "title"],
    [{ title: "x".repeat(201) }, "title"],
    [{ title: "two\nlines" }, "title"],
    [{ title: 1 }, "title"],
    [{ description: null }, "description"],
    [{ description: "x".repeat(10_001) }, "description"],
    [{ description: "bell\u0007" }],
    [{ type: null }, "type"],
    [{ type: "Corrective" }, "type"],
    [{ priority: "highest" }, "priority"],
    [{ priority: 1 }, "priority"],
    [{ status: null }, "status"],
    [{ status: "done" }, "status"],
    [{ status: ["open"] }, "status"],
    [{ deviceId: 7 }, "deviceId"],
    [{ deviceId: "" }, "deviceId"],
    [{ groupId: [] }, "groupId"],
    [{ assigneeUserId: {} }, "assigneeUserId"],
    [{ dueAt: "tomorrow" }, "dueAt"],
    [{ dueAt: "2027-02-30T00:00:00Z" }, "dueAt"],
    [{ dueAt: "2027-01-01" }, "dueAt"],
    [{ dueAt: "0000-01-01T00:00:00Z" }, "dueAt"],
    [{ dueAt: "9999-12-31T23:59:59-10:00" }, "dueAt"],
    [{ dueAt: 1_800_000_000 }, "dueAt"],
    [{ resolution: 5 }, "resolution"],
    [{ resolution: "x".repeat(10_001) }, "resolution"],
    [{ nonsense: 1 }, "nonsense"],
    [{ tenantId: NOWHERE }, "tenantId"],
    ...["id", "number", "createdBy", "createdAt", "updatedAt", "startedAt", "completedAt"].map(
      (field): [unknown, string] => [{ [field]: ticket[field as keyof TicketRecord] }, field],
    ),
    [[{ title: "x" }]],
    [null],
    ["x"],
    ["{", undefined],
  ];
  for (const [body, detail] of refused) assertRefused(await patch(ticket.id, body), 400, "invalid_request", detail);
  assertRefused(await ask(`/${ticket.id}`, { method: "PATCH" }), 400, "invalid_request");
  assert.deepEqual((await ask(`/${ticket.id}`)).json, ticket);
});

test("a ticket is not opened with a wrong, unknown or read-only field", async () => {
  const { total } = (await ask("?limit=1")).json;
  const refused: [body: unknown, detail?: string | undefined][] = [
    [{}, "title"],
    [{ title: "x", status: "completed" }, "status"],
    [{ title: "x", resolution: "done" }, "resolution"],
    [{ title: "x", number: 1 }, "number"],
    [{ title: "x", createdBy: "system" }, "createdBy"],
    [{ title: "x", type: "other" }, "type"],
    [{ title: "x", dueAt: "1969-12-31T23:59:59Z" }, "dueAt"],
    [{ title: "x".repeat(201) }, "title"],
    [{ title: "x", description: null }, "description"],
    [[]],
  ];
  for (const [body, detail] of refused) assertRefused(await post(body), 400, "invalid_request", detail);
  assert.equal((await ask("?limit=1")).json.total, total);
});

test("an id of another tenant is 400 with the id in detail, byte for byte as an unknown id", async () => {
  const theirs = await addDevice(stranger, { id: "their-pump" });
  const foreign = {
    deviceId: theirs,
    anomalyId: await anomalyOf(theirs, stranger),
    groupId: (await server.app.groups.createGroup(stranger.caller, { name: "x" })).id,
    assigneeUserId: stranger.admin.id,
  };
  const { id } = await opened();
  const shape = ({ status, text }: HttpAnswer, used: string) =>
    `${status} ${text.replace(/"requestId":"[^"]*"/, "").replaceAll(used, "…")}`;
  for (const [field, bad] of Object.entries(foreign)) {
    for (const send of [(body: object) => post({ title: "x", ...body }), (body: object) => patch(id, body)]) {
      const answer = await send({ [field]: bad });
      assertRefused(answer, 400, "invalid_request", bad);
      for (const unknown of [NOWHERE, "no-uuid", "NUL-\u00e9", NOWHERE.toUpperCase().replace("7", "A")])
        assert.equal(shape(await send({ [field]: unknown }), unknown), shape(answer, bad), `${field} ${unknown}`);
    }
  }
  const { id: secret } = await server.app.tickets.openTicket(stranger.caller, { title: "theirs" });
  const answers = [secret, NOWHERE, "no-uuid", "%F0%9F%92%A5"].map(async (other) => {
    const [read, written] = [await ask(`/${other}`), await patch(other, { title: "mine" })];
    assertRefused(read, 404, "not_found");
    return shape(read, other) + shape(written, other);
  });
  assert.equal(new Set(await Promise.all(answers)).size, 1);
  assert.equal((await server.app.tickets.getTicket(stranger.caller, secret)).title, "theirs");
});

test("a ticket for an anomaly is about its device, and the anomaly shows it", async () => {
  const [deviceId, other] = [await addDevice(), await addDevice()];
  const anomalyId = await anomalyOf(deviceId);
  assertRefused(await post({ title: "x", anomalyId, deviceId: other }), 400, "invalid_request", other);
  assert.equal(await shownBy(anomalyId), null);
  const ticket = await opened({ anomalyId });
  assert.deepEqual([ticket.deviceId, ticket.anomalyId, await shownBy(anomalyId)], [deviceId, anomalyId, ticket.id]);
  assertRefused(await patch(ticket.id, { deviceId: other }), 400, "invalid_request", other);
  assertRefused(await patch(ticket.id, { deviceId: null }), 400, "invalid_request", "deviceId");
  assert.equal((await patch(ticket.id, { deviceId })).status, 200);

  const unlinked = await patch(ticket.id, { anomalyId: null });
  assert.deepEqual([unlinked.json.deviceId, await shownBy(anomalyId)], [deviceId, null]);
  const moved = await patch(ticket.id, { anomalyId: await anomalyOf(other) });
  assert.deepEqual([moved.json.deviceId, await shownBy(moved.json.anomalyId)], [other, ticket.id]);
});

test("an anomaly has one unfinished ticket: opening or reopening a second one is 409 with the first one's id", async () => {
  const anomalyId = await anomalyOf(await addDevice());
  const first = await opened({ anomalyId });
  assertRefused(await post({ title: "again", anomalyId }), 409, "already_exists", first.id);
  await patch(first.id, { status: "cancelled" });
  assert.equal(await shownBy(anomalyId), first.id);
  const second = await opened({ anomalyId });
  assert.deepEqual([second.number, await shownBy(anomalyId)], [first.number + 1, second.id]);
  assertRefused(await patch(first.id, { status: "open" }), 409, "already_exists", second.id);
  const loose = await opened();
  assertRefused(await patch(loose.id, { anomalyId }), 409, "already_exists", second.id);

  await patch(second.id, { status: "in_progress" });
  await patch(second.id, { status: "completed" });
  assert.equal((await patch(first.id, { status: "open" })).json.status, "open");
  assert.equal(await shownBy(anomalyId), first.id);
  await patch(first.id, { status: "cancelled" });
  assert.equal(await shownBy(anomalyId), second.id);
});

test("a ticket can be changed after its device and its assignee are deleted", async () => {
  const deviceId = await addDevice();
  const email = `gone@${tenant.slug}.example`;
  const { id: assigneeUserId } = await server.app.access.createUser(await server.app.access.systemCaller(tenant.slug), {
    email,
    role: "operator",
  });
  const { id } = await opened({ deviceId, assigneeUserId });
  await server.app.enrollment.deleteDevice(tenant.caller, deviceId);
  await server.app.access.deleteUser(await callerForUser(server.app.access, email), email);
  assertRefused(await post({ title: "x", deviceId }), 400, "invalid_request", deviceId);
  assertRefused(await post({ title: "x", assigneeUserId }), 400, "invalid_request", assigneeUserId);
  const { json } = await patch(id, { deviceId, assigneeUserId, status: "in_progress" });
  assert.deepEqual([json.deviceId, json.assigneeUserId, json.status], [deviceId, assigneeUserId, "in_progress"]);
  assert.equal((await ask(`?deviceId=${deviceId}`)).json.total, 1);
});

test("of two patches with one If-Match one succeeds and the other is 412", async () => {
  const { id } = await opened();
  for (let round = 0; round < 5; round++) {
    const { etag } = (await ask(`/${id}`)).headers;
    const patches = ["one", "two"].map((title) => patch(id, { title: `${title} ${round}` }, { "if-match": etag }));
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 412]);
  }
  assertRefused(await patch(id, { status: "completed" }, { "if-match": '"old"' }), 412, "precondition_failed");
  const unchanged = await patch(id, {});
  const current = await patch(id, { title: "last" }, { "if-match": unchanged.headers.etag });
  assert.deepEqual([current.status, (await ask(`/${id}`)).headers.etag], [200, current.headers.etag]);
});

test("the history lists who changed what and when, newest first, without patches that were refused or changed nothing", async () => {
  const deviceId = await addDevice();
  const ticket = await opened({ deviceId, description: "hums" });
  const admin: Caller = { ...tenant.caller, actor: `user:${tenant.admin.id}` };
  server.clock.advance(MINUTE);
  const dueAt = new Date("2027-01-01T00:00:00Z");
  await server.app.tickets.changeTicket(admin, ticket.id, { status: "in_progress", dueAt, description: "" });
  await patch(ticket.id, { status: "in_progress" });
  await patch(ticket.id, { status: "open" });
  const { items, total } = await server.app.tickets.listTicketHistory(tenant.caller, ticket.id, page);
  assert.equal(total, 2);
  assert.deepEqual(
    items.map(({ actor, at, changes }) => ({ actor, at, changes })),
    [
      {
        actor: admin.actor,
        at: server.clock.now(),
        changes: {
          description: { from: "hums", to: "" },
          status: { from: "open", to: "in_progress" },
          dueAt: { from: null, to: dueAt.toISOString() },
        },
      },
      {
        actor: ticket.createdBy,
        at: new Date(ticket.createdAt),
        changes: {
          title: { from: null, to: "Look at it" },
          description: { from: null, to: "hums" },
          type: { from: null, to: "corrective" },
          priority: { from: null, to: "medium" },
          status: { from: null, to: "open" },
          deviceId: { from: null, to: deviceId },
        },
      },
    ],
  );
  assert.equal(
    (await server.app.tickets.listTicketHistory(tenant.caller, ticket.id, { skip: 1, limit: 1 })).items.length,
    1,
  );
  await assert.rejects(server.app.tickets.listTicketHistory(stranger.caller, ticket.id, page), { code: "not_found" });
  for (const statement of [
    server.app.database.db.deleteFrom("ticket_history"),
    server.app.database.db.updateTable("ticket_history").set({ actor: "another" }),
  ])
    await assert.rejects(statement.execute(), /only grows/);
});

test("tickets are listed newest first, by status, device and assignee, page by page", async () => {
  const lister = await newTenant(server);
  const lists = await newKey(server, lister, "tickets:read");
  const deviceId = await addDevice(lister, { id: "listed" });
  const made: TicketRecord[] = [];
  for (let n = 0; n < 6; n++) {
    const about = n % 2 === 0 ? { deviceId } : { assigneeUserId: lister.admin.id };
    made.unshift(await server.app.tickets.openTicket(lister.caller, { title: `n${n}`, ...about }));
  }
  await server.app.tickets.changeTicket(lister.caller, made[0]!.id, { status: "cancelled" });
  const list = async (query: string) => {
    const headers = { "x-api-key": lists };
    const { json } = await https(`${server.httpUrl}/api/v1/tickets${query}`, { ca: server.ca, headers });
    return [json.total, ...json.items.map(({ title }: TicketRecord) => title)];
  };
  assert.deepEqual(await list(""), [6, "n5", "n4", "n3", "n2", "n1", "n0"]);
  assert.deepEqual(await list("?skip=2&limit=2"), [6, "n3", "n2"]);
  assert.deepEqual(await list("?status=cancelled"), [1, "n5"]);
  assert.deepEqual(await list("?status=open&limit=2"), [5, "n4", "n3"]);
  assert.deepEqual(await list("?deviceId=listed"), [3, "n4", "n2", "n0"]);
  assert.deepEqual(await list("?deviceId=listed&skip=1&limit=1"), [3, "n2"]);
  assert.deepEqual(await list(`?assigneeUserId=${lister.admin.id}&status=open`), [2, "n3", "n1"]);
  for (const unmatched of [
    "deviceId=their-pump",
    "deviceId=%F0%9F",
    `assigneeUserId=${stranger.admin.id}`,
    "assigneeUserId=x",
  ])
    assert.equal((await list(`?${unmatched}`).catch(() => [0]))[0], 0, unmatched);
  assertRefused(await ask("?status=done"), 400, "invalid_request", "status");
  assertRefused(await ask("?sort=number"), 400, "invalid_request", "sort");
  assert.deepEqual(
    made.map(({ number }) => number),
    [6, 5, 4, 3, 2, 1],
  );
});

test("a user who is not an admin sees tickets of devices of their groups, of their groups, assigned to them or opened by them", async () => {
  const { tenantId, tenantSlug } = tenant.caller;
  const { id: userId } = await server.app.access.createUser(await server.app.access.systemCaller(tenant.slug), {
    email: `op@${tenant.slug}.example`,
    role: "operator",
  });
  const rights = { kind: "user", userId, role: "operator" } as const;
  const user: Caller = { tenantId, tenantSlug, actor: `user:${userId}`, rights };
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Mine", memberUserIds: [userId] });
  const [near, far] = [await addDevice(tenant, { groupIds: [group.id] }), await addDevice()];
  const hidden = [await opened({ deviceId: far }), await opened()];
  const seen = [
    await opened({ deviceId: near }),
    await opened({ deviceId: far, groupId: group.id }),
    await opened({ assigneeUserId: userId }),
    await server.app.tickets.openTicket(user, { title: "mine" }),
  ];
  const { tickets } = server.app;
  const { items, total } = await tickets.listTickets(user, page);
  assert.deepEqual([total, items.map(({ id }) => id)], [4, seen.map(({ id }) => id).reverse()]);
  for (const { id } of seen) assert.equal((await tickets.changeTicket(user, id, { priority: "low" })).priority, "low");
  for (const { id } of hidden) {
    await assert.rejects(tickets.getTicket(user, id), { code: "not_found" });
    await assert.rejects(tickets.changeTicket(user, id, { priority: "low" }), { code: "not_found" });
    await assert.rejects(tickets.listTicketHistory(user, id, page), { code: "not_found" });
  }
  const unseen = { deviceId: far, anomalyId: await anomalyOf(far) };
  for (const [field, id] of Object.entries(unseen))
    await assert.rejects(tickets.openTicket(user, { title: "x", [field]: id }), {
      code: "invalid_request",
      detail: id,
    });
  const viewer: Caller = { ...user, rights: { ...rights, role: "viewer" } };
  assert.equal((await tickets.listTickets(viewer, page)).total, 4);
  await assert.rejects(tickets.openTicket(viewer, { title: "x" }), { code: "insufficient_role" });
  await assert.rejects(tickets.changeTicket(viewer, seen[0]!.id, {}), { code: "insufficient_role" });
});

test("repeated requests under one Idempotency-Key open one ticket; each change is in the API audit log", async () => {
  const again = { body: { title: "once" }, headers: { "idempotency-key": "open-once" } };
  const answers = [await ask("", again), await ask("", again)];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  const [{ json: ticket }, repeated] = answers as [HttpAnswer, HttpAnswer];
  assert.deepEqual(repeated.json, ticket);
  assert.equal((await opened()).number, ticket.number + 1);
  await patch(ticket.id, { status: "in_progress" });
  await patch(ticket.id, { status: "in_progress" });
  await patch(ticket.id, { status: "open" });
  const writes = await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 500 });
  assert.deepEqual(
    writes
      .filter(({ resourceId }) => resourceId === ticket.id)
      .map(({ operation, resource, result }) => [operation, resource, result]),
    [
      ["changeTicket", "ticket", "unchanged"],
      ["changeTicket", "ticket", "updated"],
      ["openTicket", "ticket", "created"],
    ],
  );
});
