import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR } from "../../../src/lib/clock.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;
let group: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  viewer = await signIn(server, tenant, "viewer");
  const memberUserIds = [operator.userId, viewer.userId];
  group = (await server.app.groups.createGroup(tenant.caller, { name: "Hall", memberUserIds })).id;
  await server.app.devices.createDevice(tenant.caller, { id: "pump-1", name: "Pump 1", groupIds: [group] });
});
after(() => server.stop());

async function openTicket(body: object, user = admin) {
  server.clock.advance(1_000);
  const { status, json, text } = await user.call("POST", "/tickets", { body });
  assert.equal(status, 201, text);
  return json;
}

const move = (id: string, status: string, user = admin) => user.call("PATCH", `/tickets/${id}`, { body: { status } });

async function titles(query: string, user = admin): Promise<string[]> {
  const { status, json, text } = await user.call("GET", `/tickets?${query}`);
  assert.equal(status, 200, text);
  assert.equal(json.total, json.items.length);
  return json.items.map(({ title }: { title: string }) => title);
}

test("tickets are filtered by every property, also negated, searched, and sorted", async () => {
  const due = new Date(server.clock.now().getTime() + HOUR).toISOString();
  await openTicket({ title: "Grease", priority: "low", type: "preventive", deviceId: "pump-1", dueAt: due });
  const bearing = await openTicket({ title: "Bearing 100%", priority: "urgent", assigneeUserId: operator.userId });
  const pipe = await openTicket({ title: "Pipe", priority: "high", groupId: group, type: "inspection" });
  await openTicket({ title: "Motor", assigneeUserId: admin.userId });
  await move(pipe.id, "in_progress");
  server.clock.advance(2 * HOUR);
  const all = ["Motor", "Pipe", "Bearing 100%", "Grease"];
  for (const [query, expected] of [
    ["", all],
    ["status=open", ["Motor", "Bearing 100%", "Grease"]],
    ["status=open,in_progress", all],
    ["notStatus=open", ["Pipe"]],
    ["priority=urgent,high", ["Pipe", "Bearing 100%"]],
    ["notPriority=medium", ["Pipe", "Bearing 100%", "Grease"]],
    ["type=inspection", ["Pipe"]],
    ["notType=corrective", ["Pipe", "Grease"]],
    ["assigneeUserId=none", ["Pipe", "Grease"]],
    [`assigneeUserId=${operator.userId}`, ["Bearing 100%"]],
    [`notAssigneeUserId=${operator.userId}`, ["Motor", "Pipe", "Grease"]],
    ["notAssigneeUserId=none", ["Motor", "Bearing 100%"]],
    ["notAssigneeUserId=no-id", all],
    ["assigneeUserId=no-id", []],
    [`groupId=${group}`, ["Pipe"]],
    ["groupId=none", ["Motor", "Bearing 100%", "Grease"]],
    ["deviceId=pump-1", ["Grease"]],
    ["anomalyId=no-id", []],
    ["overdue=true", ["Grease"]],
    ["q=E", ["Pipe", "Bearing 100%", "Grease"]],
    ["q=0%25", ["Bearing 100%"]],
    [`q=%23${bearing.number}`, ["Bearing 100%"]],
    [`q=${bearing.number}&status=in_progress`, []],
    ["sort=-priority", ["Bearing 100%", "Pipe", "Motor", "Grease"]],
    ["sort=-priority&status=open", ["Bearing 100%", "Motor", "Grease"]],
    ["sort=priority&q=e", ["Grease", "Pipe", "Bearing 100%"]],
    ["sort=createdAt", all.toReversed()],
    ["sort=dueAt", ["Grease", "Motor", "Pipe", "Bearing 100%"]],
  ] as const)
    assert.deepEqual(await titles(query), expected, query);
  for (const query of ["status=new", "sort=title", "overdue=no", "priority=x"])
    assert.equal((await admin.call("GET", `/tickets?${query}`)).json.error, "invalid_request", query);
  const { text } = await admin.call("GET", "/tickets?as=csv&sort=-priority&status=open");
  assert.deepEqual(
    text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",")[2]),
    ["Bearing 100%", "Motor", "Grease"],
  );
  const overview = (await admin.call("GET", "/overview")).json.tickets;
  assert.deepEqual(overview, { open: 3, in_progress: 1, on_hold: 0, overdue: 1, unassigned: 2 });
});

test("a ticket lists its possible moves, and another is refused with these; of two changes to one version one succeeds", async () => {
  const ticket = await openTicket({ title: "Valve" });
  assert.deepEqual(ticket.moves, ["in_progress", "cancelled"]);
  const refused = await move(ticket.id, "completed");
  assert.deepEqual([refused.status, refused.json.error], [409, "invalid_transition"]);
  assert.deepEqual(refused.json.allowed, ticket.moves);
  const read = await admin.call("GET", `/tickets/${ticket.id}`);
  const headers = { "if-match": read.headers.etag as string };
  const patch = (title: string) => admin.call("PATCH", `/tickets/${ticket.id}`, { body: { title }, headers });
  const [first, second] = [await patch("Valve 1"), await patch("Valve 2")];
  assert.deepEqual([first.status, second.status], [200, 412]);
  const { json } = await move(ticket.id, "in_progress");
  assert.deepEqual(json.moves, ["on_hold", "completed", "cancelled"]);
  const { items } = (await admin.call("GET", `/tickets/${ticket.id}/history`)).json;
  assert.deepEqual(
    items.map(({ changes }: { changes: object }) => Object.keys(changes).toSorted()),
    [["status"], ["title"], ["priority", "status", "title", "type"]],
  );
  assert.equal(items[0].actor, `user:${admin.userId}`);
});

test("comments are appended with author and time, even to a finished ticket, and cannot be changed", async () => {
  const ticket = await openTicket({ title: "Seal", groupId: group });
  const path = `/tickets/${ticket.id}/comments`;
  const say = (text: string, user = operator) => user.call("POST", path, { body: { text } });
  const first = await say("  The seal is ordered.\nIt comes on Monday. ");
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(
    [first.json.author, first.json.text],
    [`user:${operator.userId}`, "The seal is ordered.\nIt comes on Monday."],
  );
  await move(ticket.id, "cancelled");
  server.clock.advance(1_000);
  const second = await say("Not needed", admin);
  const { json } = await viewer.call("GET", path);
  assert.deepEqual([json.total, json.items], [2, [second.json, first.json]]);
  assert.equal((await viewer.call("GET", `${path}?limit=1&skip=1`)).json.items[0].id, first.json.id);
  assert.equal((await say("By a viewer", viewer)).json.error, "insufficient_role");
  for (const text of ["", " \n ", "x".repeat(10_001), "\u0007"])
    assert.equal((await say(text)).json.error, "invalid_request", JSON.stringify(text.slice(0, 5)));
  const after = (await admin.call("GET", `/tickets/${ticket.id}`)).json;
  assert.equal(after.updatedAt < second.json.at, true, "a comment is no change of the ticket");
  const { db } = server.app.database;
  await assert.rejects(runSql(db, "UPDATE ticket_comments SET text = 'x' WHERE ticket_id = $1", [ticket.id]));
  await assert.rejects(runSql(db, "DELETE FROM ticket_comments WHERE ticket_id = $1", [ticket.id]));
  assert.equal((await admin.call("GET", "/tickets/none/comments")).status, 404);
  const headers = { "idempotency-key": "say-once" };
  const once = () => operator.call("POST", path, { body: { text: "Once" }, headers });
  assert.equal((await once()).json.id, (await once()).json.id);
});

test("a non-admin sees the tickets of their devices and groups, and their own", async () => {
  const [theirs, other] = [await openTicket({ title: "Hidden" }), await openTicket({ title: "Ours", groupId: group })];
  const seen = await titles("q=s", viewer);
  assert.ok(seen.includes("Ours") && !seen.includes("Hidden"), seen.join());
  for (const path of ["", "/history", "/comments"]) {
    assert.equal((await viewer.call("GET", `/tickets/${theirs.id}${path}`)).status, 404, path);
    assert.equal((await viewer.call("GET", `/tickets/${other.id}${path}`)).status, 200, path);
  }
  assert.equal((await move(other.id, "in_progress", viewer)).json.error, "insufficient_role");
  assert.equal((await move(theirs.id, "in_progress", operator)).status, 404);
  const { status } = await operator.call("POST", `/tickets/${theirs.id}/comments`, { body: { text: "x" } });
  assert.equal(status, 404);
});

test("an edit, an assignment and a comment are events that the app receives", async () => {
  const ticket = await openTicket({ title: "Fan" });
  const from = await server.app.events.cursorNow();
  const body = { assigneeUserId: operator.userId, dueAt: new Date(server.clock.now().getTime() + DAY).toISOString() };
  await admin.call("PATCH", `/tickets/${ticket.id}`, { body });
  await admin.call("PATCH", `/tickets/${ticket.id}`, { body });
  await admin.call("POST", `/tickets/${ticket.id}/comments`, { body: { text: "Soon" } });
  await move(ticket.id, "in_progress");
  const kinds = async () => {
    const { events } = await server.app.events.readEvents(tenant.caller.tenantId, from, 100);
    // A cursor may precede events that have been read: an open transaction of the database cluster keeps it there.
    const ofTicket = events.filter(({ data }) => "ticketId" in data && data.ticketId === ticket.id);
    return ofTicket.map(({ kind }) => kind).filter((kind) => kind !== "ticket.opened");
  };
  while (!(await kinds()).includes("ticket.changed")) await new Promise(setImmediate);
  assert.deepEqual(await kinds(), ["ticket.edited", "ticket.edited", "ticket.changed"]);
});
