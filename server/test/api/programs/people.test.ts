import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addAnomaly } from "../../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertRefused, OPERATIONS, publicApi } from "../../harness/http/public-api.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** What a program does about people, and the audits that it reads. */
let server: TestServer;
let tenant: TestTenant;
let call: ReturnType<typeof publicApi>["call"];
let answered: ReadonlySet<string>;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  tenant = await newTenant(server);
  ({ call, answered } = publicApi(server, tenant));
});
after(() => server.stop());

test("a program lists, invites, demotes and deactivates people, but makes no admins", async () => {
  const email = `grace@${tenant.slug}.example`;
  const { json: invite } = await call("createInvite", { body: { email, role: "operator" } });
  assert.match(invite.url, /\/invite#/);
  assert.deepEqual((await call("listInvites")).json.items[0].email, email);
  assert.equal((await call("deleteInvite", { id: invite.id })).status, 204);
  assertRefused(await call("createInvite", { body: { email, role: "admin" } }), 400, "invalid_request");

  const caller = await server.app.access.systemCaller(tenant.slug);
  const { id } = await server.app.access.createUser(caller, { email: `ada@${tenant.slug}.example`, role: "admin" });
  assertRefused(await call("updateUser", { id, body: { role: "admin" } }), 400, "invalid_request");
  const { headers } = await call("getUser", { id });
  const ifMatch = { "if-match": String(headers.etag) };
  assert.equal((await call("updateUser", { id, body: { role: "viewer" }, headers: ifMatch })).json.role, "viewer");
  assertRefused(
    await call("updateUser", { id, body: { role: "operator" }, headers: ifMatch }),
    412,
    "precondition_failed",
  );
  await call("updateUser", { id, body: { status: "deactivated" } });
  const { items } = (await call("listUsers", { query: "?status=deactivated&q=ada" })).json;
  assert.deepEqual(
    items.map((each: { id: string }) => each.id),
    [id],
  );
  await server.app.access.setPlatformUser(caller, tenant.admin.email, true);
  assertRefused(
    await call("updateUser", { id: tenant.admin.id, body: { status: "deactivated" } }),
    403,
    "insufficient_scope",
  );
  await server.app.access.setPlatformUser(caller, tenant.admin.email, false).catch(() => undefined);
});

test("a program lists the keys of the tenant, reads its own and rotates it", async () => {
  const { json: own } = await call("getCurrentKey");
  assert.deepEqual([own.scopes, own.replacedBy], [["own-key:read"], null]);
  assert.ok((await call("listKeys", { query: "?state=active" })).json.items.some(({ id }: never) => id === own.id));
  const { json: made } = await call("rotateCurrentKey", { body: { overlapHours: 1 } });
  assert.match(made.key, new RegExp(`^mstr_${made.id}_`));
});

test("the audits come by cursor, each act once", async () => {
  for (const operation of ["listApiAudit", "listAdminAudit"]) {
    const whole = (await call(operation, { query: "?limit=200" })).json.items;
    assert.ok(whole.length > 2);
    const walked: unknown[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const { json } = await call(operation, { query: `?limit=2&cursor=${next}` });
      walked.push(...json.items);
      next = json.next;
    }
    // The key of each request is itself an act, also while the list is walked.
    const listed = new Set(whole.map((each: unknown) => JSON.stringify(each)));
    assert.deepEqual(
      walked.filter((each) => listed.has(JSON.stringify(each))),
      whole,
    );
    assert.equal(new Set(walked.map((each) => JSON.stringify(each))).size, walked.length);
  }
});

test("many anomalies are acknowledged at once, each recorded; a ticket has its comments and its history", async () => {
  const where = { database: server.app.database, clock: server.clock };
  const ids: string[] = [];
  for (const id of ["hot-1", "hot-2"]) {
    await server.app.devices.createDevice(tenant.caller, { id, name: "Pump" });
    ids.push(await addAnomaly(where, tenant.caller, id));
  }
  const nowhere = "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d";
  const { json } = await call("acknowledgeAnomalies", { body: { ids: [...ids, nowhere], comment: "On it" } });
  assert.deepEqual([json.acknowledged, json.unchanged, json.notFound], [2, 0, 1]);
  const { items } = (await call("listApiAudit", { query: "?operation=acknowledgeAnomalies" })).json;
  assert.deepEqual(new Set(items.map((each: { resourceId: string }) => each.resourceId)), new Set(ids));
  const again = await call("acknowledgeAnomalies", { body: { ids } });
  assert.equal(again.json.unchanged, 2);

  const ticket = (await call("openTicket", { body: { title: "Grease it" } })).json;
  const comment = (await call("commentTicket", { id: ticket.id, body: { text: "Ordered" } })).json;
  assert.match(comment.author, /^apikey:/);
  assert.deepEqual((await call("listTicketComments", { id: ticket.id })).json.items, [comment]);
  await call("changeTicket", { id: ticket.id, body: { priority: "high" } });
  const history = (await call("listTicketHistory", { id: ticket.id })).json;
  assert.deepEqual(history.items[0].changes, { priority: { from: "medium", to: "high" } });
});

test("every operation about people has succeeded above with its documented shape", () => {
  assert.deepEqual(
    OPERATIONS.people.filter((id) => !answered.has(id)),
    [],
  );
});
