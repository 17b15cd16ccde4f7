import assert from "node:assert/strict";
import { hostname } from "node:os";
import { after, before, test } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import { onPostgres } from "../../harness/database/database.ts";
import { closed, connectMqtt, enrollDevice, newTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { https } from "../../harness/http/https.ts";
import { startShell, type TestShell } from "../../harness/processes/shell.ts";
import { startServer } from "../../harness/server.ts";

let shell: TestShell;

before(async () => {
  shell = await startShell();
});
after(() => shell.stop());

test("muster node list shows host, part, version and sessions of every node", async () => {
  const { server, json, muster } = shell;
  const device = await enrollDevice(server, await newTenant(server));
  const client = await connectMqtt(server, device);
  const { items } = await json("node", "list");
  const { id, startedAt, heardAt, ...rest } = items[0];
  assert.deepEqual(rest, { host: hostname(), part: "all", version: manifest.version, state: "running", sessions: 1 });
  assert.equal(id, server.app.nodeId);
  assert.ok(Date.parse(startedAt) <= Date.parse(heardAt));
  const { stdout } = await muster(["node", "list"]);
  assert.match(stdout, new RegExp(`NODE +HOST[\\s\\S]*${id} +${hostname()} +all +${manifest.version} +running +1 `));
  client.end(true);
});

test("muster node drain reports nodes that are unknown or ambiguous", async () => {
  const { server, refused } = shell;
  assert.match(await refused("node", "drain", "elsewhere"), /No node has this id or host/);
  if (!onPostgres) return;
  const second = await startServer({ share: server });
  // Ids of the same time begin with the same digits.
  assert.match(await refused("node", "drain", server.app.nodeId!.slice(0, 1)), /Several node ids begin with this text/);
  await second.stop();
});

test("a drained node ends its sessions, accepts no more and is not ready; it is shown as draining", async () => {
  const { server, json, muster } = shell;
  const device = await enrollDevice(server, await newTenant(server));
  const client = await connectMqtt(server, device);
  const { items, accepting } = await json("node", "drain", server.app.nodeId!.slice(0, 30));
  assert.deepEqual([items.length, items[0].state, accepting], [1, "draining", 0]);
  await server.app.connections.beatNow();
  await closed(client);
  await assert.rejects(connectMqtt(server, device));
  assert.ok(
    await eventually(async () => (await https(`${server.httpUrl}/readyz`, { ca: server.ca })).json.broker === false),
  );
  await server.app.connections.flush();
  assert.equal((await json("node", "list")).items[0].sessions, 0);
  const { stdout } = await muster(["node", "drain", server.app.nodeId!]);
  assert.match(stdout, /Draining 1 node: when muster node list shows no sessions, stop the service\.\nA drain cannot/);
  assert.match(stdout, /WARNING: no other node accepts MQTT connections/);
  const doctor = await muster(["doctor"]);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /no node accepts MQTT connections: start a service, or restart a drained one/);
  assert.match(
    doctor.stdout,
    new RegExp(`node ${server.app.nodeId} of .*, drained at .*: stop its service, or restart it`),
  );
});
