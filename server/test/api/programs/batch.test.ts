import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** Batches: many writes in one request. */
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

async function batch(key: string | undefined, operations: unknown) {
  const headers = key === undefined ? {} : { "x-api-key": key };
  const body = { operations };
  return await https(`${server.httpUrl}/api/v1/batch`, { ca: server.ca, method: "POST", headers, body });
}

const newGroup = (name: string) => ({ operationId: "createGroup", body: { name } });

test("writes run in order, each with its own scope, checks, audit and result", async () => {
  const key = await newKey(server, tenant, "groups:write", "shifts:write");
  const stranger = await newTenant(server);
  const foreign = await server.app.groups.createGroup(stranger.caller, { name: "Foreign" });
  const { status, json } = await batch(key, [
    newGroup("One"),
    newGroup(""),
    { operationId: "createDevice", body: { name: "Pump" } },
    { operationId: "deleteGroup", params: { id: foreign.id } },
    newGroup("Two"),
  ]);
  assert.equal(status, 200);
  assert.deepEqual(
    json.results.map(({ ok, answer, problem }: Record<string, { name: string; error: string }>) =>
      ok ? answer?.name : problem?.error,
    ),
    ["One", "invalid_request", "insufficient_scope", "not_found", "Two"],
  );
  assert.equal(json.results[1].problem.details[0].pointer, "/name");
  const { items } = await server.app.groups.listGroups(tenant.caller, { skip: 0, limit: 10 });
  assert.deepEqual(
    items.map(({ name }) => name),
    ["Two", "One"],
  );
  const audit = await server.app.access.listKeyWrites(tenant.caller, key.split("_")[1]!, { skip: 0, limit: 10 });
  assert.deepEqual(
    audit.items.map(({ operation }) => operation),
    ["createGroup", "createGroup"],
  );
});

test("a batch contains writes only, and nothing unknown", async () => {
  const key = await newKey(server, tenant, "groups:read", "thresholds:write");
  for (const operationId of ["listGroups", "followEvents", "dryRunThreshold", "createBatch", "signIn", "constructor"]) {
    const { json } = await batch(key, [{ operationId }]);
    assert.equal(json.results[0].problem.error, "invalid_request", operationId);
  }
});

test("a malformed batch, one that is too long and one without a key do nothing", async () => {
  const key = await newKey(server, tenant, "groups:write");
  const malformed = [undefined, [], "x", [{}], [{ ...newGroup("x"), query: {} }], Array(51).fill(newGroup("x"))];
  for (const operations of malformed) {
    const { status, json } = await batch(key, operations);
    assert.deepEqual([status, json.error, json.middleware], [400, "invalid_request", "validation"]);
  }
  assert.equal((await batch(undefined, [newGroup("x")])).status, 401);
  assert.equal((await batch(`${key}x`, [newGroup("x")])).status, 401);
});

test("a batch is one request of its key", async () => {
  const { headers } = await batch(await newKey(server, tenant, "groups:write"), Array(50).fill(newGroup("Same")));
  assert.match(String(headers.ratelimit), /r=119/);
});

test("a tenant has one batch at a time: another waits for its turn, and nothing of both alternates", async () => {
  const own = await newTenant(server);
  const key = await newKey(server, own, "groups:write");
  const batches = Array.from({ length: 6 }, (_, at) => Array.from({ length: 20 }, () => newGroup(`Batch ${at}`)));
  const answers = await Promise.all(batches.map((operations) => batch(key, operations)));
  for (const { status, headers } of answers)
    if (status !== 200) assert.deepEqual([status, headers["retry-after"]], [429, "1"]);
  const { items } = await server.app.groups.listGroups(own.caller, { skip: 0, limit: 200 });
  const changes = items.filter(({ name }, at) => name !== items[at + 1]?.name).length;
  assert.equal(changes, answers.filter(({ status }) => status === 200).length);
  assert.equal(items.length, 20 * changes);
});
