import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import { after, before, test } from "node:test";
import { adminRoutes } from "../../src/api/admin-routes.ts";
import type { AdminRoute } from "../../src/api/route.ts";
import { SECOND } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { oneOfEach } from "../harness/one-of-each.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let viewer: SignedIn;
let groupId: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, viewer] = [await signIn(server, tenant), await signIn(server, tenant, "viewer")];
  await oneOfEach(server, tenant);
  const { groups, devices, connections, access } = server.app;
  groupId = (await groups.createGroup(tenant.caller, { name: "Hall", memberUserIds: [viewer.userId] })).id;
  await devices.createDevice(tenant.caller, { id: "seen", name: '=HYPERLINK("x"), "y"', groupIds: [groupId] });
  const { caller } = tenant;
  await connections.createMqttClient(caller, { clientId: `gw-${tenant.slug}`, username: "gateway" });
  await access.createKey(caller, { user: tenant.admin.email, name: "k", scopes: ["devices:read"] });
  const hall = { type: "email" as const, target: "hall@example.com" };
  await groups.createGroup(caller, { name: "Asked to confirm", channels: [hall] });
  await server.app.notifications.runDue();
});
after(() => server.stop());

/** Returns the lines of a CSV file, each as its cells. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, cell = "", end] of text.matchAll(/("(?:[^"]|"")*"|[^,\r]*)(,|\r\n)/g)) {
    rows.at(-1)!.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

/** Returns the records of an exported list, by column title. */
async function exported(user: SignedIn, path: string): Promise<Record<string, string>[]> {
  const { status, text } = await user.call("GET", `${path}${path.includes("?") ? "&" : "?"}as=csv`);
  assert.equal(status, 200, text);
  const [titles, ...rows] = parse(text);
  return rows.map((cells) => {
    assert.equal(cells.length, titles!.length);
    return Object.fromEntries(cells.map((cell, at) => [titles![at]!, cell]));
  });
}

const exportable = adminRoutes.filter((route) => "csv" in route && !route.path.includes("{"));
const pathOf = ({ path }: AdminRoute) => path.replace("/api/admin", "");

test("each list that can be exported has the rows of its pages", async () => {
  const names = exportable.map(({ operationId }) => operationId);
  for (const name of ["listDevices", "listCertificates", "listClaims", "listRefusals", "listKeys", "listUsers"])
    assert.ok(names.includes(name), name);
  for (const route of exportable) {
    const { items } = (await admin.call("GET", `${pathOf(route)}?limit=200`)).json;
    const rows = await exported(admin, pathOf(route));
    assert.deepEqual(
      rows.map(({ id }) => id),
      items.map(({ id }: { id: string }) => id),
      route.operationId,
    );
    if (!["listRefusals", "listApiAudit"].includes(route.operationId)) assert.ok(rows.length > 0, route.operationId);
  }
});

test("the file has a name, is not cached, and contains no cell that is a formula", async () => {
  const { headers, text } = await admin.call("GET", "/devices?as=csv&groupId=none");
  assert.equal(headers["content-type"], "text/csv; charset=utf-8; header=present");
  const day = server.clock.now().toISOString().slice(0, 10);
  assert.equal(headers["content-disposition"], `attachment; filename="devices-${day}.csv"`);
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(text.split("\r\n").length, 3);
  const [seen] = await exported(admin, `/devices?groupId=${groupId}`);
  assert.equal(seen!.name, `'=HYPERLINK("x"), "y"`);
  assert.equal(seen!.groupIds, groupId);
  assert.equal(seen!["connectivity.status"], "never_seen");
  assert.equal(seen!.createdAt, server.clock.now().toISOString());
  const head = await admin.call("HEAD", "/devices?as=csv");
  assert.deepEqual([head.status, head.text], [200, ""]);
});

test("a file contains what its list shows the user: filters, roles and groups are the same", async () => {
  const ids = async (user: SignedIn, path: string) => (await exported(user, path)).map(({ id }) => id);
  assert.deepEqual(await ids(viewer, "/devices"), ["seen"]);
  assert.deepEqual(await ids(viewer, "/certificates"), []);
  assert.equal((await viewer.call("GET", "/claims?as=csv")).json.error, "insufficient_role");
  assert.deepEqual(await ids(admin, "/devices?q=hyper"), ["seen"]);
  assert.deepEqual(await ids(admin, "/devices?q=hyper&sort=name&skip=5&limit=1"), ["seen"]);
  assert.deepEqual(await ids(admin, "/devices?notGroupId=none"), ["seen"]);
  assert.deepEqual(await ids(admin, "/devices?deviceTypeId=nothing"), []);
  const other = await signIn(server, await newTenant(server));
  assert.deepEqual(await ids(other, "/devices"), []);
  for (const path of ["/devices?as=xml", "/findings?as=csv", "/devices?as=csv&walk=1"])
    assert.equal((await admin.call("GET", path)).json.error, "invalid_request", path);
  assert.equal((await admin.call("GET", "/certificates?as=csv&sort=expiry&state=revoked")).json.detail, "sort");
});

let next = 0;

async function addManyDevices(of: TestTenant, count: number, characters: number): Promise<void> {
  await runSql(
    server.app.database.db,
    `INSERT INTO devices (uid, tenant_id, id, name, description, created_at, updated_at)
     SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, $1, 'd-' || n,
            'Many ' || n % 7, repeat('x', $3), $2, $2 FROM generate_series($4::int, $5::int) n`,
    [of.caller.tenantId, server.clock.now(), characters, next, next + count - 1],
  );
  next += count;
}

/** Starts a download that is not read yet. */
async function begin({ cookie }: SignedIn, path: string): Promise<IncomingMessage> {
  const options: RequestOptions = { ca: server.ca, agent: false, headers: { cookie, "sec-fetch-site": "same-origin" } };
  const call = request(`${server.httpUrl}/api/admin${path}`, options).end();
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  call.on("error", () => undefined);
  return answer;
}

test("a long list is read in parts, in every order", async () => {
  const many = await newTenant(server);
  await addManyDevices(many, 1_200, 1);
  const user = await signIn(server, many);
  for (const path of ["/devices", "/devices?sort=name", "/devices?sort=-lastSeenAt", "/devices?q=many"]) {
    const rows = await exported(user, path);
    assert.deepEqual([rows.length, new Set(rows.map(({ id }) => id)).size], [1_200, 1_200], path);
  }
});

test("a session has one download at a time, which breaks off when the session ends; others continue", async () => {
  const many = await newTenant(server);
  // More than a connection buffers without being read.
  await addManyDevices(many, 6_000, 2_500);
  const user = await signIn(server, many);
  const file = await begin(user, "/devices?as=csv");
  const second = await user.call("GET", "/claims?as=csv");
  assert.deepEqual([second.status, second.json.error], [429, "rate_limited"]);
  assert.ok(Number(second.headers["retry-after"]) > 0);
  assert.equal((await user.call("GET", "/devices?limit=1")).status, 200, "all else goes on");
  const colleague = await signIn(server, many);
  assert.equal((await colleague.call("GET", "/claims?as=csv")).status, 200, "so does another session");
  const other = await begin(colleague, "/devices?as=csv");
  const third = await signIn(server, many);
  assert.equal((await third.call("GET", "/claims?as=csv")).status, 429, "a tenant has two at a time");
  other.destroy();
  // The clock advances past the rate limit, however long the service takes to notice that the client has left.
  while ((await third.call("GET", "/claims?as=csv")).status !== 200) server.clock.advance(SECOND);
  assert.equal((await user.call("DELETE", "/session")).status, 204);
  await assert.rejects(file.toArray(), /aborted/);
});
