/**
 * Starts this version on an installation that version 1.0 left an hour before (`fixtures/installation-1.0`): a data
 * folder, or the dump of a PostgreSQL database.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { restore } from "../../src/backup/backup.ts";
import { migrate } from "../../src/db/migrate.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { onPostgres } from "../harness/database/database.ts";
import { nextMigrations } from "../harness/database/next-version.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, redeem, redemption, renew } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { acceptAnyDate } from "../harness/processes/certificate-dates.ts";
import { authenticator } from "../harness/second-factor.ts";
import type { TestServer } from "../harness/server.ts";
import { newBrowser } from "../harness/sign-in.ts";
import { type UnpackedInstallation, unpackInstallation } from "./installation.ts";

let left: UnpackedInstallation;
let server: TestServer;
let undo: () => void;

before(async () => {
  undo = acceptAnyDate();
  left = await unpackInstallation();
  server = await left.start();
});
after(async () => {
  await server?.stop();
  await left?.remove();
  undo();
});

const get = (path: string) =>
  https(`${server.httpUrl}/api/v1/${path}`, { ca: server.ca, headers: { "x-api-key": left.apiKey } });

/** Every invariant holds. Heartbeats have the time of the database, not that of the test. */
async function assertHealthy(): Promise<void> {
  await server.app.connections.flush();
  await server.app.telemetry.rollUp();
  await server.app.notifications.runDue();
  const { checks } = await server.app.doctor.examine({ deep: true });
  const broken = checks.filter(({ ok, level, name }) => !ok && level === "must" && !name.includes("heartbeat"));
  assert.deepEqual(broken, []);
}

/** Connects with what the pump kept, publishes one reading and reads it. */
async function assertPublishes(temperature: number): Promise<void> {
  const { pump } = left.devices;
  const client = await connectMqtt(server, pump);
  await client.publishAsync(pump.topic, JSON.stringify({ temperature }), { qos: 1 });
  await client.endAsync();
  const caller = await server.app.access.systemCaller("acme");
  const latest = await server.app.telemetry.listLatest(caller, pump.deviceId);
  assert.equal(latest.find(({ metric }) => metric === "temperature")?.value, temperature);
}

test("the doctor finds every invariant held, asked of the whole database", assertHealthy);

test("every list holds the records that it held", async () => {
  const lists = Object.entries(left.records);
  assert.equal(lists.length, 9);
  for (const [list, items] of lists) {
    const { status, text, json } = await get(`${list}?limit=200`);
    assert.equal(status, 200, text);
    assert.deepEqual(json.items, items, list);
    assert.equal(json.total, items.length, list);
  }
});

test("stored readings are read as they were, and rolled-up ones are in charts", async () => {
  const { pump } = left.devices;
  const to = new Date(Date.parse(left.stoppedAt)).toISOString();
  const from = new Date(Date.parse(to) - 240 * HOUR).toISOString();
  const range = `metric=temperature&from=${from}&to=${to}`;
  const { json } = await get(`devices/${pump.deviceId}/readings?${range}&limit=1000`);
  assert.ok(json.items.length > 48);
  assert.deepEqual(json.items, left.readings);
  const caller = await server.app.access.systemCaller("acme");
  const { points } = await server.app.telemetry.readSeries(caller, pump.deviceId, "temperature", {
    from: new Date(from),
    to: new Date(to),
    bucketSeconds: 3600,
  });
  assert.equal(
    points.reduce((total, { count }) => total + count, 0),
    left.readings.length,
  );
});

test("a device of 1.0 connects, publishes and renews; superseded, revoked and deleted ones are refused", async () => {
  await assertPublishes(62.5);
  for (const name of ["superseded", "revoked", "deleted"] as const)
    await assert.rejects(connectMqtt(server, left.devices[name]), name);
  assert.equal((await renew(server, left.devices.pump)).answer.status, 200);
});

test("a user of 1.0 signs in with password and second factor, and a pending claim enrolls", async () => {
  const { email, password, secret } = left.user;
  const browser = newBrowser(server);
  assert.equal((await browser.call("POST", "/session", { body: { email, password } })).status, 200);
  const code = authenticator(server.clock, secret).nextCode();
  assert.equal((await browser.call("POST", "/session/factor", { body: { code } })).status, 200);
  assert.equal((await browser.call("GET", "/users")).status, 200);
  const { body } = await redemption(left.pendingClaim);
  assert.equal((await redeem(server, body)).status, 200);
  await assertHealthy();
});

test("the steps of the next version apply to it, and keep its rows", async () => {
  const other = await unpackInstallation();
  const database = await other.open();
  try {
    const devices = () => runSql<{ n: number }>(database.db, "SELECT count(*)::int AS n FROM devices", []);
    const before = await devices();
    assert.ok(before[0]!.n > 4);
    await migrate(database, nextMigrations);
    assert.deepEqual(await devices(), before);
    const notes = await runSql(database.db, "SELECT DISTINCT planted_note FROM devices", []);
    assert.deepEqual(notes, [{ planted_note: "none" }]);
  } finally {
    await database.close();
    await other.remove();
  }
});

/** PostgreSQL is backed up with its own tools (`backup.test.ts`). */
if (!onPostgres) {
  test("a backup that 1.0 wrote is restored, and its devices connect", async () => {
    await server.stop();
    const dataDir = join(left.dataDir, "..", "restored");
    const deps = { dataDir, clock: server.clock, ids: randomIds, logger: createLogger("silent") };
    await restore(deps, await left.backup(), { mode: "nothing-revoked-since" });
    server = await left.start(dataDir);
    await assertPublishes(63.5);
    await assertHealthy();
  });
}
