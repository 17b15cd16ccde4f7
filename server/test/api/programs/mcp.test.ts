import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { SCOPES } from "../../../src/access/access.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

const launcher = join(import.meta.dirname, "../../../bin/muster.mjs");
const folder = mkdtempSync(join(tmpdir(), "muster-mcp-"));
let server: TestServer;
let tenant: TestTenant;
let key: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  key = await newKey(server, tenant, ...SCOPES);
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends one JSON-RPC request to `/mcp`. */
async function ask(method: string, params: object = {}, { as = key, path = "/mcp", headers = {} } = {}) {
  const answer = await https(server.httpUrl + path, {
    ca: server.ca,
    method: "POST",
    headers: {
      authorization: `Bearer ${as}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { status: answer.status, headers: answer.headers, body: answer.json };
}

async function call(name: string, args: object = {}, options?: Parameters<typeof ask>[2]) {
  const { body } = await ask("tools/call", { name, arguments: args }, options);
  const result = JSON.parse(body.result?.content[0].text ?? "null");
  return { isError: body.result?.isError === true, result, error: body.error };
}

test("the protocol is initialized, and every read of the public API is a tool", async () => {
  const client = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client };
  const { status, body } = await ask("initialize", params);
  assert.equal(status, 200);
  assert.equal(body.result.serverInfo.name, "muster");
  const names = (await ask("tools/list")).body.result.tools.map((tool: { name: string }) => tool.name);
  for (const name of ["listDevices", "getDevice", "listAnomalies", "listLatest", "listShifts", "listRefusals"])
    assert.ok(names.includes(name), name);
  for (const name of ["listOnCall", "listCoverage", "listTimeline", "listCommands", "listAdminAudit", "listApiAudit"])
    assert.ok(names.includes(name), name);
  for (const name of ["followEvents", "createGroup", "createClaim", "issueDeviceCertificate", "deleteDevice"])
    assert.ok(!names.includes(name), name);
});

test("writes are offered when they are asked for, but none of a credential", async () => {
  const { tools } = (await ask("tools/list", {}, { path: "/mcp?writes=true" })).body.result;
  const names = tools.map((tool: { name: string }) => tool.name);
  assert.ok(names.includes("createGroup") && names.includes("acknowledgeAnomaly"));
  for (const tool of tools.filter((each: { annotations: { readOnlyHint: boolean } }) => !each.annotations.readOnlyHint))
    assert.doesNotMatch(tool.name, /claim$|(issue|revoke)DeviceCertificate|Webhook(Secret)?$|MqttClient|Key/i);
  const group = await call("createGroup", { body: { name: "Pump hall" } }, { path: "/mcp?writes=true" });
  assert.equal(group.result.name, "Pump hall");
  const writes = await server.app.access
    .systemCaller(tenant.slug)
    .then((caller) => server.app.access.listApiWrites(caller, { skip: 0, limit: 5 }));
  assert.equal(writes.items[0]?.operation, "createGroup");
});

test("a tool that is not offered cannot be called", async () => {
  assert.match((await call("createGroup", { body: { name: "x" } })).error.message, /there is no tool createGroup/);
});

test("a tool answers as the API does: the record, or the error with its fields", async () => {
  await server.app.devices.createDevice(tenant.caller, { id: "pump-7", name: "Pump 7" });
  assert.equal((await call("getDevice", { id: "pump-7" })).result.name, "Pump 7");
  const unknown = await call("getDevice", { id: "pump-8" });
  assert.deepEqual([unknown.isError, unknown.result.error], [true, "not_found"]);
  const wrong = await call("listDevices", { color: "red" });
  assert.deepEqual([wrong.isError, wrong.result.error, wrong.result.detail], [true, "invalid_request", "color"]);
  assert.equal((await call("listDevices", {})).result.limit, 20);
  assert.equal((await call("listDevices", { limit: 3 })).result.limit, 3);
});

test("a tool may do what its key may, and nothing of another tenant", async () => {
  const few = await newKey(server, tenant, "groups:read");
  const refused = await call("listDevices", {}, { as: few });
  assert.deepEqual([refused.isError, refused.result.error], [true, "insufficient_scope"]);
  const other = await newKey(server, await newTenant(server), ...SCOPES);
  assert.equal((await call("getDevice", { id: "pump-7" }, { as: other })).result.error, "not_found");
});

test("without a key nothing is answered, and each message counts against the budget of the key", async () => {
  assert.equal((await ask("tools/list", {}, { as: "wrong" })).status, 401);
  const fresh = await newKey(server, tenant, "devices:read");
  const { headers } = await ask("ping", {}, { as: fresh });
  assert.match(String(headers.ratelimit), /r=119;/);
  const next = await ask("tools/call", { name: "listDevices" }, { as: fresh });
  assert.match(String(next.headers.ratelimit), /r=118;/);
});

test("a batch, a page of another origin and other methods are refused", async () => {
  const batch = await https(`${server.httpUrl}/mcp`, {
    ca: server.ca,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "[]",
  });
  assert.equal(batch.status, 400);
  const foreign = await ask("ping", {}, { headers: { origin: "https://evil.example" } });
  assert.deepEqual([foreign.status, foreign.body.error], [403, "foreign_origin"]);
  assert.equal((await https(`${server.httpUrl}/mcp`, { ca: server.ca })).status, 405);
});

test("a result is cut where an assistant's context would be flooded", async () => {
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key-${n}`, "x".repeat(200)]));
  for (let n = 0; n < 15; n++) {
    const { id } = await server.app.devices.createDevice(tenant.caller, { name: `Wordy ${n}` });
    await server.app.devices.replaceDevice(tenant.caller, id, { name: `Wordy ${n}`, metadata });
  }
  const { body } = await ask("tools/call", { name: "listDevices", arguments: { limit: 200 } });
  assert.match(
    body.result.content[0].text,
    /… \(cut after 50000 of \d+ characters: ask for a smaller page or range\)$/,
  );
});

test("muster mcp offers the same tools on standard input and output", async () => {
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, key, { mode: 0o600 });
  const options = ["--server", server.httpUrl, "--api-key-file", keyFile, "--ca-file", join(folder, "ca.pem")];
  const transport = new StdioClientTransport({ command: process.execPath, args: [launcher, "mcp", ...options] });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  try {
    const offered = await client.listTools();
    const { tools } = (await ask("tools/list")).body.result;
    assert.deepEqual(
      offered.tools.map(({ name }) => name),
      tools.map((tool: { name: string }) => tool.name),
    );
    const { content } = (await client.callTool({ name: "getDevice", arguments: { id: "pump-7" } })) as {
      content: { text: string }[];
    };
    assert.equal(JSON.parse(content[0]!.text).name, "Pump 7");
  } finally {
    await client.close();
  }
});
