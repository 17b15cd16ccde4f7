import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SECOND } from "../../src/lib/clock.ts";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { assertRefused, OPERATIONS, publicApi } from "../harness/http/public-api.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

/** The operations of the public API beyond the specification (docs/spec-decisions.md, Additions to the public API). */
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

const writes = async (resource: string) => {
  const { items } = await server.app.access.listApiWrites(tenant.caller, { resource, skip: 0, limit: 10 });
  return items.map(({ operation, resourceId, result }) => [operation, resourceId, result]);
};

test("telemetry: latest values, pages of readings, chart buckets, and rejected messages", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  const begin = server.clock.now();
  for (const temperature of [21, 23, 25]) {
    server.clock.advance(SECOND);
    await client.publishAsync(device.topic, JSON.stringify({ temperature, door: true }), { qos: 1 });
  }
  await client.publishAsync(device.topic, "temperature=23", { qos: 1 });
  server.clock.advance(SECOND);
  await client.endAsync();

  const id = device.deviceId;
  const latest = (await call("listLatest", { id })).json.items;
  assert.deepEqual(
    latest.map(({ metric, value }: Record<string, unknown>) => [metric, value]),
    [
      ["door", true],
      ["temperature", 25],
    ],
  );
  const range = new URLSearchParams({
    metric: "temperature",
    from: begin.toISOString(),
    to: server.clock.now().toISOString(),
  });
  const first = (await call("listReadings", { id, query: `?${range}&limit=2` })).json;
  const second = (await call("listReadings", { id, query: `?${range}&limit=2&cursor=${first.next}` })).json;
  assert.deepEqual(
    [...first.items, ...second.items].map(({ value }) => value),
    [25, 23, 21],
  );
  assert.equal(second.next, undefined);
  const period = `from=${range.get("from")}&to=${range.get("to")}&deviceIds=${id}&metrics=temperature`;
  const fleet = (await call("listFleetReadings", { query: `?${period}` })).json.items;
  assert.deepEqual(
    fleet.map(({ deviceId, value }: Record<string, unknown>) => [deviceId, value]),
    [21, 23, 25].map((value) => [id, value]),
  );
  const { points } = (await call("readSeries", { id, query: `?${range}&buckets=1` })).json;
  const [series] = (await call("listFleetSeries", { query: `?${period}&buckets=1` })).json.items;
  assert.deepEqual(series.points, points);
  const [from, to] = [range.get("from")!, range.get("to")!];
  const body = { deviceIds: [id], metrics: ["temperature"], from, to, buckets: 1 };
  assert.deepEqual((await call("queryTelemetry", { body })).json.items, [series]);
  const counted = points.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  assert.deepEqual([counted, points[0].min, points.at(-1).max], [3, 21, 25]);
  const [rejected] = (await call("listRejected", { id })).json.items;
  assert.deepEqual([rejected.topic, rejected.payload], [device.topic, "temperature=23"]);

  assertRefused(await call("listReadings", { id }), 400, "invalid_request");
  assertRefused(await call("listReadings", { id, query: `?${range}&cursor=x` }), 400, "invalid_request");
  assertRefused(await call("readSeries", { id, query: `?${range}&buckets=0` }), 400, "invalid_request");

  const backwards = `?metric=temperature&from=${range.get("to")}&to=${range.get("from")}`;
  const admin = await signIn(server, tenant);
  for (const read of ["readings", "series"] as const) {
    const operation = read === "series" ? "readSeries" : "listReadings";
    for (const answer of [
      await call(operation, { id, query: backwards }),
      await admin.call("GET", `/devices/${id}/${read}${backwards}`),
    ]) {
      assertRefused(answer, 400, "invalid_request");
      assert.equal(answer.json.detail, "to");
    }
  }
});

test("the device registry: a device is added under its id, once per Idempotency-Key, and deleted with its certificates", async () => {
  const body = { id: "pump-7", name: "Pump 7", deviceTypeId: tenant.deviceTypeId };
  const made = await call("createDevice", { body });
  assert.equal(made.headers.location, "/api/v1/devices/pump-7");
  assert.deepEqual(made.json, (await call("getDevice", { id: "pump-7" })).json);
  assertRefused(await call("createDevice", { body }), 409, "already_exists");
  assertRefused(await call("createDevice", { body: { id: "no/slash", name: "x" } }), 400, "invalid_request");

  const { json: bundle } = await call("issueDeviceCertificate", { body: { deviceId: "pump-7" } });
  await call("deleteDevice", { id: "pump-7" });
  assertRefused(await call("getDevice", { id: "pump-7" }), 404, "not_found");
  assertRefused(await call("deleteDevice", { id: "pump-7" }), 404, "not_found");
  const certificate = await server.app.certificates.getCertificate(tenant.caller, bundle.id);
  assert.deepEqual([certificate.status, certificate.revocationReason], ["revoked", "device_deleted"]);
  assert.deepEqual(await writes("device"), [
    ["deleteDevice", "pump-7", "deleted"],
    ["createDevice", "pump-7", "created"],
  ]);
  const acts = await server.app.access.listAdminActs(tenant.caller, { skip: 0, limit: 10 });
  assert.ok(!acts.items.some(({ target }) => target === "pump-7"), "what a key does is in the API audit log");
});

test("one Idempotency-Key never adds two devices, and the repetition gets the first answer", async () => {
  const { createKey } = server.app.access;
  const scopes = ["device-registry:create"];
  const { key } = await createKey(tenant.caller, { user: tenant.admin.email, name: "registry", scopes });
  const request = { body: { name: "Pump" }, headers: { "x-api-key": key, "idempotency-key": "pump" } };
  const [first, second] = [await call("createDevice", request), await call("createDevice", request)];
  assert.equal(second.headers["idempotent-replayed"], "true");
  assert.equal(second.text, first.text);
  const other = { ...request, body: { name: "Another" } };
  assertRefused(await call("createDevice", other), 422, "idempotency_key_reused");
});

test("a key that adds devices neither reads, changes nor deletes them", async () => {
  const { createKey } = server.app.access;
  const scopes = ["device-registry:create"];
  const { key } = await createKey(tenant.caller, { user: tenant.admin.email, name: "registry", scopes });
  const headers = { "x-api-key": key };
  const { id } = (await call("createDevice", { body: { name: "Pump" }, headers })).json;
  assertRefused(await call("getDevice", { id, headers }), 403, "insufficient_scope");
  assertRefused(await call("replaceDevice", { id, headers, body: { name: "x" } }), 403, "insufficient_scope");
  assertRefused(await call("deleteDevice", { id, headers }), 403, "insufficient_scope");
});

test("refusals: why the broker refused a device, with cause and remedy, filtered by device and reason", async () => {
  const [pump, other] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  for (const { deviceId } of [pump, other])
    server.app.connections.recordRefusal({
      reason: "expired",
      tenantId: tenant.caller.tenantId,
      deviceId,
      remoteAddress: "203.0.113.7",
    });
  const { items, total } = (await call("listRefusals", { query: `?deviceId=${pump.deviceId}` })).json;
  assert.deepEqual([total, items[0].reason, items[0].deviceId], [1, "expired", pump.deviceId]);
  assert.ok(items[0].cause && items[0].cure);
  assert.equal((await call("listRefusals", { query: "?reason=expired" })).json.total, 2);
  assert.equal((await call("listRefusals", { query: "?reason=revoked" })).json.total, 0);
});

test("every operation beyond the specification has succeeded above with its documented shape", () => {
  const added = new Set(OPERATIONS.added);
  assert.deepEqual([...answered].filter((id) => added.has(id)).sort(), [...added].sort());
});
