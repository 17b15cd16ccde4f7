import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, DAY, HOUR, SECOND } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { acceptAnyDate } from "../harness/processes/certificate-dates.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let undo: () => void;
before(async () => {
  undo = acceptAnyDate();
  server = await startServer();
  tenant = await newTenant(server);
});
after(async () => {
  await server.stop();
  undo();
});

/** Signs in a user who runs the installation, at the clock's current time. */
async function askAsOwner(path: string) {
  const { userId, email, password } = await signIn(server, tenant);
  await runSql(server.app.database.db, "UPDATE users SET platform = true WHERE id = $1", [userId]);
  const browser = newBrowser(server);
  assert.equal((await browser.call("POST", "/session", { body: { email, password } })).status, 200);
  const { status, json, text } = await browser.call("GET", path);
  assert.equal(status, 200, text);
  return json;
}

const warnings = () => server.logs.filter((line) => line.includes("devices lack the new server root"));
const gauge = async () =>
  (await server.app.metrics.text()).split("\n").filter((line) => line.startsWith("muster_server_root_devices{"));

async function findings(query: object): Promise<string[]> {
  const { items } = await server.app.overview.listFindings(tenant.caller, { skip: 0, limit: 9, ...query });
  return items.filter(({ kind }) => kind === "server_root_missing").map(({ deviceId }) => deviceId);
}

test("devices that have connected with a certificate issued with the new server root count as having it", async () => {
  const { authorities, platform } = server.app;
  const { deviceId } = await enrollDevice(server, tenant);
  assert.equal(await platform.measureRollout(), undefined);
  assert.deepEqual(await findings({ kind: "server_root_missing" }), []);
  await authorities.rotateRoot();
  const { rollout } = await askAsOwner("/platform/trust-rollout");
  assert.deepEqual([rollout.devices, rollout.trusting, rollout.activatedAt], [1, 0, null]);
  assert.equal(rollout.takeOverAt, addMs(server.clock.now(), 35 * DAY).toISOString());
  assert.deepEqual(await findings({ kind: "server_root_missing" }), [deviceId]);
  assert.deepEqual([await findings({ deviceId }), await findings({})], [[deviceId], []], "counted only when asked for");

  server.clock.advance(HOUR + SECOND);
  const fresh = await enrollDevice(server, tenant);
  assert.equal((await platform.measureRollout())?.trusting, 0, "its answer may have been lost");
  const client = await connectMqtt(server, fresh);
  assert.ok(await eventually(async () => (await platform.measureRollout())?.trusting === 1));
  await client.endAsync();
  assert.deepEqual(await findings({ kind: "server_root_missing" }), [deviceId]);

  await platform.reportRollout();
  assert.deepEqual(await gauge(), [
    'muster_server_root_devices{state="trusting"} 1',
    'muster_server_root_devices{state="missing"} 1',
  ]);
  assert.equal(warnings().length, 0, "five weeks are left");
  server.clock.advance(28 * DAY);
  await platform.reportRollout();
  assert.equal(warnings().length, 1);
});
