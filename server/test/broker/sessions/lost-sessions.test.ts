/**
 * Sessions that a crash of PostgreSQL has undone: their rows are missing or in an earlier state, and the unlogged table
 * is empty. The processes and their clients have continued.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type mqtt from "mqtt";
import { onPostgres, type TestDatabase, testDatabase } from "../../harness/database/database.ts";
import { type DatabaseProxy, databaseProxy } from "../../harness/database/database-proxy.ts";
import { ownPostgres } from "../../harness/database/own-postgres.ts";
import { ask } from "../../harness/database/postgres.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newTenant,
  type TestDevice,
  type TestTenant,
} from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

describe("after a crash of PostgreSQL that undid sessions", () => {
  // The embedded database runs in the only process that uses it.
  if (!onPostgres) return;
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  /** Closes its connections to the database. */
  let away: TestServer;
  let other: TestServer;
  let tenant: TestTenant;

  before(async () => {
    database = await testDatabase();
    proxy = await databaseProxy(database.url!);
    away = await startServer({ databaseUrl: proxy.url });
    other = await startServer({ databaseUrl: database.url! });
    tenant = await newTenant(other);
  });
  after(async () => {
    proxy?.heal();
    await away?.stop();
    await other?.stop();
    await proxy?.close();
    await database?.remove();
  });

  const run = (statement: string) => ask<Record<string, string>>(database.url!, statement);
  const sessionOf = async ({ deviceId }: TestDevice) =>
    (await run(`SELECT * FROM mqtt_sessions WHERE client_id = '${deviceId}'`))[0];
  const connectivity = async ({ deviceId }: TestDevice) =>
    (await other.app.devices.getDevice(tenant.caller, deviceId)).connectivity.status;
  const flush = () => Promise.all([away, other].map(({ app }) => app.connections.flush()));

  /**
   * Simulates a crash that undoes the effect of `change`. The process `away` is without the database until it is
   * healed.
   */
  async function crash(change: string): Promise<void> {
    await flush();
    proxy.vanish();
    await run(`${change}; TRUNCATE complete_nodes, completing_nodes`);
  }
  async function back(): Promise<void> {
    proxy.heal();
    await eventually(() =>
      away.app.connections.beatNow().then(
        () => true,
        () => false,
      ),
    );
  }
  const isComplete = async () => (await run("SELECT FROM complete_nodes")).length === 2;
  const answers = (client: mqtt.MqttClient) =>
    new Promise<boolean>((resolve) => {
      client.once("packetreceive", ({ cmd }) => resolve(cmd === "pingresp"));
      client.once("close", () => resolve(false));
      client.sendPing();
    });
  const deleteRow = ({ deviceId }: TestDevice) => `DELETE FROM mqtt_sessions WHERE client_id = '${deviceId}'`;

  test("a revocation at another process ends an unrecorded session before it is answered", async () => {
    const device = await enrollDevice(other, tenant);
    const client = await connectMqtt(away, device);
    const [certificate] = await run(`SELECT id FROM certificates WHERE device_id = '${device.deviceId}'`);
    await crash(deleteRow(device));
    let isAnswered = false;
    const revoking = other.app.enrollment.revokeCertificate(tenant.caller, certificate!.id!).then(() => {
      isAnswered = true;
    });
    const isRevoked = async () => (await run("SELECT FROM certificates WHERE revoked_at IS NOT NULL")).length > 0;
    assert.ok(await eventually(isRevoked));
    assert.equal(isAnswered, false);
    await back();
    await revoking;
    await closed(client);
    assert.equal(await sessionOf(device), undefined);
    assert.ok(await eventually(isComplete));
  });

  test("a client that connects to another process is accepted once the unrecorded session has ended", async () => {
    const device = await enrollDevice(other, tenant);
    const first = await connectMqtt(away, device);
    await crash(deleteRow(device));
    const connecting = connectMqtt(other, device);
    assert.ok(await eventually(async () => (await sessionOf(device)) !== undefined));
    await back();
    const second = await connecting;
    await closed(first);
    assert.equal(await answers(second), true);
    assert.equal((await sessionOf(device))!.node_id, other.app.nodeId);
    await flush();
    assert.equal(await connectivity(device), "online");
    await second.endAsync();
  });

  test("the sessions are re-recorded with their devices online, and those with a certificate revoked in the meantime end", async () => {
    const [stays, revoked] = [await enrollDevice(other, tenant), await enrollDevice(other, tenant)];
    const [one, two] = [await connectMqtt(away, stays), await connectMqtt(away, revoked)];
    await flush();
    const before = await sessionOf(stays);
    await crash(`${deleteRow(stays)}; ${deleteRow(revoked)};
      UPDATE devices SET connectivity = 'offline', connectivity_seq = connectivity_seq - 1;
      UPDATE certificates SET revoked_at = now(), revocation_reason = 'requested', revoked_by = 'system' WHERE device_id = '${revoked.deviceId}'`);
    await back();
    await closed(two);
    assert.ok(await eventually(isComplete));
    await flush();
    assert.deepEqual(await sessionOf(stays), before);
    assert.equal(await sessionOf(revoked), undefined);
    assert.deepEqual([await connectivity(stays), await connectivity(revoked)], ["online", "offline"]);
    assert.equal(await answers(one), true);
    await one.endAsync();
  });

  test("the latest session of a client stays, even if the one that it had replaced at another process is re-recorded", async () => {
    const device = await enrollDevice(other, tenant);
    const first = await connectMqtt(other, device);
    const replaced = await sessionOf(device);
    const second = await connectMqtt(away, device);
    await closed(first);
    const latest = await sessionOf(device);
    const { node_id: node, session_id: id, seq } = replaced!;
    await crash(
      `UPDATE mqtt_sessions SET node_id = '${node}', session_id = '${id}', seq = ${seq} WHERE client_id = '${device.deviceId}'`,
    );
    await other.app.connections.beatNow();
    await back();
    assert.ok(await eventually(async () => (await sessionOf(device))?.session_id === latest!.session_id));
    assert.ok(await eventually(isComplete));
    await flush();
    assert.equal(await answers(second), true);
    assert.deepEqual([(await sessionOf(device))!.node_id, await connectivity(device)], [away.app.nodeId, "online"]);
    await second.endAsync();
  });

  test("a device whose session has ended is offline, even if the session is re-recorded", async () => {
    const device = await enrollDevice(other, tenant);
    const client = await connectMqtt(away, device);
    await flush();
    const ended = await sessionOf(device);
    await client.endAsync();
    assert.ok(await eventually(async () => (await sessionOf(device)) === undefined));
    await crash(`INSERT INTO mqtt_sessions SELECT (json_populate_record(NULL::mqtt_sessions, '${JSON.stringify(ended)}'::json)).*;
      UPDATE devices SET connectivity = 'online', connectivity_seq = ${ended!.seq} WHERE id = '${device.deviceId}'`);
    await back();
    assert.ok(await eventually(isComplete));
    await flush();
    assert.deepEqual([await sessionOf(device), await connectivity(device)], [undefined, "offline"]);
  });

  test("an ended session that is re-recorded ends again, even if the node was about to be reaped", async () => {
    const device = await enrollDevice(other, tenant);
    const client = await connectMqtt(away, device);
    await flush();
    const ended = await sessionOf(device);
    await client.endAsync();
    assert.ok(await eventually(async () => (await sessionOf(device)) === undefined));
    await crash(`INSERT INTO mqtt_sessions SELECT (json_populate_record(NULL::mqtt_sessions, '${JSON.stringify(ended)}'::json)).*;
      UPDATE broker_nodes SET reaped_at = clock_timestamp() WHERE id = '${away.app.nodeId}'`);
    await back();
    assert.ok(await eventually(isComplete));
    await flush();
    assert.equal(await sessionOf(device), undefined);
  });

  test("a new session waits until the existing ones are re-recorded", async () => {
    const devices = [await enrollDevice(other, tenant), await enrollDevice(other, tenant)];
    const [first, second] = devices as [TestDevice, TestDevice];
    const client = await connectMqtt(other, first);
    await flush();
    await run(`${deleteRow(first)}; TRUNCATE complete_nodes, completing_nodes`);
    const later = await connectMqtt(other, second);
    assert.ok((await sessionOf(first)) !== undefined);
    for (const each of [client, later]) await each.endAsync();
    await back();
  });
});

const testOnPostgres = onPostgres ? test : () => undefined;

testOnPostgres("after PostgreSQL was killed, the sessions that it may have lost are found", async (t) => {
  const postgres = await ownPostgres();
  const nodes: TestServer[] = [];
  t.after(async () => {
    for (const node of nodes) await node.stop();
    await postgres.stop();
  });
  for (let n = 0; n < 2; n++) nodes.push(await startServer({ databaseUrl: postgres.url }));
  const [one, two] = nodes as [TestServer, TestServer];
  const tenant = await newTenant(one);
  const devices = await Promise.all([1, 2, 3, 4].map(() => enrollDevice(one, tenant)));
  const clients = await Promise.all(devices.map((device) => connectMqtt(one, device)));
  const rows = async () => (await ask(postgres.url, "SELECT FROM mqtt_sessions")).length;
  await postgres.kill();
  const found = await eventually(async () => rows().then(String, () => undefined));
  t.diagnostic(`PostgreSQL had ${found} of 4 sessions when it was back`);
  const [moves, ...others] = devices as [TestDevice, ...TestDevice[]];
  const moved = await eventually(() => connectMqtt(two, moves).catch(() => undefined));
  await closed(clients[0]!);
  for (const { deviceId } of others) {
    const device = await eventually(() =>
      two.app.enrollment.deleteDevice(tenant.caller, deviceId).then(
        () => true,
        () => false,
      ),
    );
    assert.ok(device);
  }
  await Promise.all(clients.slice(1).map(closed));
  assert.equal(await rows(), 1);
  await moved!.endAsync();
});
