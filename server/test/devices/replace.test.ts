import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { randomIds } from "../../src/lib/ids.ts";
import { runSql } from "../harness/database/run-sql.ts";
import type { TestServer } from "../harness/server.ts";
import { type Environment, NOWHERE, refusal, startEnvironment } from "../rules/environment.ts";

// PUT /devices/{id}.
let env: Environment;
before(async () => {
  env = await startEnvironment();
});
after(() => env.stop());

test("a PUT replaces the device's editable fields; omitted ones become empty, and nothing else changes", async () => {
  const { server, tenant, ask, newDevice, newPack } = env;
  const { id } = await newDevice(tenant);
  const { json: before } = await ask("GET", `devices/${id}`);
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Hall" });
  const pack = await newPack(tenant);
  server.clock.advance(1_000);
  const body = {
    name: " Feed pump ",
    description: "two\nlines",
    deviceTypeId: tenant.deviceTypeId,
    groupIds: [group.id, group.id],
    thresholdIds: [pack.id, pack.id],
    metadata: { asset: { number: 7, tags: ["a", null, true] }, "": "é" },
  };
  const { status, json } = await ask("PUT", `devices/${id}`, body);
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual(json, {
    ...before,
    ...body,
    name: "Feed pump",
    groupIds: [group.id],
    thresholdIds: [pack.id],
    updatedAt: server.clock.now().toISOString(),
  });
  assert.deepEqual((await ask("GET", `devices/${id}`)).json, json);
  assert.equal((await ask("GET", `devices?groupId=${group.id}`)).json.total, 1);

  const { json: emptied } = await ask("PUT", `devices/${id}`, { name: "Pump" });
  assert.deepEqual(emptied, { ...before, updatedAt: json.updatedAt });
  const [entry] = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 1 })).items;
  assert.deepEqual([entry!.operation, entry!.resource, entry!.resourceId], ["replaceDevice", "device", id]);
});

test("an invalid PUT is refused and changes nothing", async () => {
  const { server, tenant, otherTenant, ask, newDevice, newPack } = env;
  const { id } = await newDevice(tenant);
  const { text: before } = await ask("GET", `devices/${id}`);
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
  const wrong: [unknown, string | undefined][] = [
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "x", id: "other" }, "id"],
    [{ name: "x", createdAt: "2026-01-01T00:00:00Z" }, "createdAt"],
    [{ name: "x", connectivity: { status: "online" } }, "connectivity"],
    [{ name: "x", hardwareModel: "x" }, "hardwareModel"],
    [{ name: "x", tenantId: otherTenant.caller.tenantId }, "tenantId"],
    [{ name: "x", description: null }, "description"],
    [{ name: "x", description: "x".repeat(2_001) }, "description"],
    [{ name: "x", groupIds: "x" }, "groupIds"],
    [{ name: "x", groupIds: Array(101).fill(NOWHERE) }, "groupIds"],
    [{ name: "x", metadata: [] }, "metadata"],
    [{ name: "x", metadata: { a: "x".repeat(16 * 1024) } }, "metadata"],
    [{ name: "x", metadata: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, at])) }, "metadata"],
    [{ name: "x", metadata: nested(8) }, "metadata"],
    ['{"name":"x","metadata":{"a":1e999}}', "metadata"],
    ['{"name":"x","metadata":{"__proto__":{"admin":true}}}', undefined],
    ['{"name":"x","metadata":{"a\\u0000":1}}', undefined],
    ['{"name":"x","metadata":{"a":"\\ud800"}}', undefined],
  ];
  for (const [body, detail] of wrong) {
    const answer = await ask("PUT", `devices/${id}`, body);
    assert.deepEqual(refusal(answer), [400, "invalid_request", detail], JSON.stringify(body).slice(0, 80));
  }
  const group = await server.app.groups.createGroup(otherTenant.caller, { name: "theirs" });
  const pack = await newPack(otherTenant);
  const foreign: [string, string, (id: string) => object][] = [
    ["group", group.id, (each) => ({ groupIds: [each] })],
    ["pack", pack.id, (each) => ({ thresholdIds: [each] })],
    ["type", otherTenant.deviceTypeId, (each) => ({ deviceTypeId: each })],
  ];
  for (const [what, theirs, fields] of foreign) {
    const answers = [theirs, NOWHERE, "x"].map(async (each) => {
      const answer = await ask("PUT", `devices/${id}`, { name: "changed", ...fields(each) });
      assert.deepEqual(refusal(answer), [400, "invalid_request", each], what);
      return answer.text.replace(answer.json.requestId, "").replace(each, "");
    });
    assert.equal(new Set(await Promise.all(answers)).size, 1, what);
  }
  assert.equal((await ask("GET", `devices/${id}`)).text, before);
  const theirs = await newDevice(otherTenant);
  assert.equal((await ask("PUT", `devices/${theirs.id}`, { name: "mine" })).status, 404);
});

test("of two PUTs with one If-Match exactly one succeeds, at whichever processes they arrive", async () => {
  const { server, second, tenant, ask, newDevice } = env;
  const { id } = await newDevice(tenant);
  const put = (at: TestServer, name: string, etag: string) =>
    ask("PUT", `devices/${id}`, { name }, { "if-match": etag }, { at });
  for (let round = 0; round < 5; round++) {
    const etag = String((await ask("GET", `devices/${id}`)).headers.etag);
    const answers = await Promise.all([put(server, `a${round}`, etag), put(second, `b${round}`, etag)]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 412]);
    const done = answers.find(({ status }) => status === 200)!;
    const refused = answers.find(({ status }) => status === 412)!;
    assert.equal(refused.json.error, "precondition_failed");
    const after = await ask("GET", `devices/${id}`);
    assert.deepEqual([after.json.name, after.headers.etag], [done.json.name, done.headers.etag]);
  }
});

test("a heartbeat does not change the ETag: If-Match ignores the fields that the service itself updates", async () => {
  const { server, tenant, ask, newDevice } = env;
  const { id, uid } = await newDevice(tenant);
  const { headers } = await ask("GET", `devices/${id}`);
  const { db } = server.app.database;
  await runSql(db, "UPDATE devices SET last_seen_at = now(), connectivity = 'online' WHERE uid = $1", [uid]);
  const read = await ask("GET", `devices/${id}`, undefined, { "if-none-match": String(headers.etag) });
  assert.equal(read.status, 200);
  const etag = String(headers.etag);
  assert.equal((await ask("PUT", `devices/${id}`, { name: "new" }, { "if-match": etag })).status, 200);
  assert.equal((await ask("PUT", `devices/${id}`, { name: "newer" }, { "if-match": etag })).status, 412);
  assert.equal((await ask("PUT", "devices/nowhere", { name: "new" }, { "if-match": etag })).status, 404);
});

test("a device's new type decides the topics of its next certificate, and does not change the live one's", async () => {
  const { server, tenant, ask, newDevice } = env;
  const { certificates, enrollment, devices } = server.app;
  const { id } = await newDevice(tenant);
  await devices.replaceDevice(tenant.caller, id, { name: "x", deviceTypeId: tenant.deviceTypeId });
  const bundle = await enrollment.issueBundle(tenant.caller, { deviceId: id });
  assert.equal((await ask("PUT", `devices/${id}`, { name: "x", deviceTypeId: null })).json.deviceTypeId, null);
  const next = await enrollment.issueBundle(tenant.caller, { deviceId: id });
  assert.deepEqual(next.publishTopics, []);
  const page = await certificates.listCertificates(tenant.caller, { skip: 0, limit: 50, deviceId: id });
  const first = page.items.find((certificate) => certificate.id === bundle.id);
  assert.deepEqual(first?.publishTopics, [`t/${tenant.slug}/telemetry/${id}`]);
});

test("a PUT with an invalid device id is 404", async () => {
  const { server, ask } = env;
  const unknown = await ask("PUT", "devices/nowhere", { name: "x" });
  for (const id of ["a.b", "x".repeat(65), randomIds.uuid(server.clock.now())]) {
    const answer = await ask("PUT", `devices/${id}`, { name: "x" });
    assert.deepEqual([answer.status, answer.json.message], [404, unknown.json.message]);
  }
});
