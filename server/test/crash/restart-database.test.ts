import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createListener } from "../../src/db/postgres-listener.ts";
import { DAY, SECOND } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/logger.ts";
import {
  endConnections,
  onPostgres,
  setReadOnly,
  type TestDatabase,
  testDatabase,
} from "../harness/database/database.ts";
import { type DatabaseProxy, databaseProxy } from "../harness/database/database-proxy.ts";
import { ask } from "../harness/database/postgres.ts";
import {
  connectMqtt,
  enrollDevice,
  newKey,
  newTenant,
  redeem,
  redemption,
  renew,
  type TestDevice,
  type TestTenant,
} from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** The maximum duration of a request while the database does not answer, plus the delay of a busy machine. */
const ANSWER_MS = 5_000 + 10_000;
const RECOVERY_MS = 60_000;

/** Retries `work` until it succeeds; throws its last error after {@link RECOVERY_MS}. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + RECOVERY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}

// The embedded database cannot be unavailable: it runs in the process.
if (onPostgres) {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestServer;
  let tenant: TestTenant;
  let key: string;
  before(async () => {
    database = await testDatabase();
    proxy = await databaseProxy(database.url!);
    server = await startServer({ databaseUrl: proxy.url });
    tenant = await newTenant(server);
    key = await newKey(server, tenant, "devices:read");
  });
  after(async () => {
    proxy?.heal();
    await server?.stop();
    await proxy?.close();
    await database?.remove();
  });

  const listDevices = () => https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key } });

  test("messages whose commit was not confirmed are stored once, although they are stored again", async () => {
    const device = await enrollDevice(server, tenant);
    const client = await connectMqtt(server, device);
    const publish = (n: number) => client.publishAsync(device.topic, `{"n":${n}}`, { qos: 1 });
    const stored = async () => {
      const of = `device_uid = (SELECT uid FROM devices WHERE id = '${device.deviceId}')`;
      const read = `SELECT number FROM shared_readings WHERE metric = 'n' AND ${of} ORDER BY ts`;
      return (await ask<{ number: number }>(database.url!, read)).map(({ number }) => number);
    };
    await publish(0);
    proxy.loseAnswers();
    const published = Promise.all([1, 2, 3].map(publish));
    await eventually(async () => assert.ok((await stored()).length > 1));
    proxy.vanish();
    proxy.heal();
    await published;
    assert.deepEqual(await stored(), [0, 1, 2, 3]);
    await client.endAsync();
  });

  /** Asserts a 503 with the documented shape, in time. */
  async function unavailable(what: string, work: () => Promise<{ status: number; json: { error: string } }>) {
    const began = performance.now();
    const { status, json } = await work();
    const took = performance.now() - began;
    assert.deepEqual([what, status, json.error], [what, 503, "catalog_unavailable"]);
    assert.ok(took < ANSWER_MS, `${what} took ${Math.round(took)} ms`);
  }

  async function connects(device: TestDevice): Promise<void> {
    const client = await connectMqtt(server, device);
    await client.endAsync(true);
  }

  async function worksAgain(device: TestDevice): Promise<void> {
    await eventually(async () => assert.equal((await listDevices()).status, 200));
    await eventually(() => connects(device));
    await eventually(() => enrollDevice(server, tenant));
  }

  for (const how of ["vanish", "pause"] as const) {
    const said = { vanish: "is gone", pause: "hangs" }[how];
    test(`while the database ${said}: 503 in time, no CONNECT, open sessions stay; then everything works again`, async () => {
      const [device, other] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
      const claim = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
      const { body } = await redemption(claim.claimCode);
      const open = await connectMqtt(server, device);
      open.on("error", () => undefined);
      proxy[how]();
      try {
        await Promise.all([
          unavailable("a list", listDevices),
          unavailable("a redemption", () => redeem(server, body)),
          unavailable("a renewal", async () => (await renew(server, other)).answer),
          assert.rejects(connectMqtt(server, other), /Server unavailable/),
          https(`${server.httpUrl}/healthz`, { ca: server.ca }).then(({ status }) => assert.equal(status, 200)),
          https(`${server.httpUrl}/readyz`, { ca: server.ca }).then(({ status }) => assert.equal(status, 503)),
        ]);
        assert.equal(open.connected, true);
        const answered = new Promise<string>((resolve) => open.once("packetreceive", ({ cmd }) => resolve(cmd)));
        open.sendPing();
        assert.equal(await answered, "pingresp");
      } finally {
        proxy.heal();
      }
      await worksAgain(other);
      assert.equal(open.connected, true, "the session that was open has stayed open");
      await open.publishAsync(device.topic, JSON.stringify({ values: { n: 1 } }), { qos: 1 });
      await open.endAsync(true);
      assert.equal((await redeem(server, body)).status, 200, "the claim's use was not taken");
    });
  }

  test("while the database hangs and every connection is in use, a waiting request is answered in time, too", async () => {
    proxy.pause();
    try {
      const late = async (n: number) => {
        await delay(n * 500);
        await unavailable(`request ${n}`, listDevices);
      };
      const crowd = Array.from({ length: 15 }, () => unavailable("one of a crowd", listDevices));
      await Promise.all([...crowd, ...Array.from({ length: 9 }, (_, n) => late(n))]);
    } finally {
      proxy.heal();
    }
    await eventually(async () => assert.equal((await listDevices()).status, 200));
  });

  test("while the database is read-only, revoked and expired certificates are refused, and no new client is admitted", async () => {
    const [good, revoked] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
    const page = { deviceId: revoked.deviceId, skip: 0, limit: 1 };
    const [certificate] = (await server.app.certificates.listCertificates(tenant.caller, page)).items;
    await server.app.enrollment.revokeCertificate(tenant.caller, certificate!.id);
    await setReadOnly(database.url!, true);
    await endConnections(database.url!);
    try {
      await assert.rejects(connectMqtt(server, revoked), /Not authorized/);
      await assert.rejects(connectMqtt(server, good), /Server unavailable/);
      assert.equal((await renew(server, revoked)).answer.status, 401);
      await unavailable("a renewal", async () => (await renew(server, good)).answer);
      server.clock.step(30 * DAY + SECOND);
      await assert.rejects(connectMqtt(server, good), /Not authorized/);
      assert.equal((await renew(server, good)).answer.status, 401);
    } finally {
      server.clock.step(-30 * DAY - SECOND);
      await setReadOnly(database.url!, false);
      await endConnections(database.url!);
    }
    const fresh = await eventually(() => enrollDevice(server, tenant));
    await eventually(() => connects(fresh));
    await assert.rejects(connectMqtt(server, revoked), /Not authorized/);
  });

  test("connections that the database ends are reopened, and requests succeed afterwards", async () => {
    const device = await enrollDevice(server, tenant);
    await endConnections(database.url!);
    await worksAgain(device);
  });
  test("a half-open LISTEN connection is detected and replaced, and its subscribers poll again", async () => {
    const fragile = await databaseProxy(database.url!);
    const listener = createListener(fragile.url, createLogger("silent"), 50, 3_000);
    const heard = Promise.withResolvers<string>();
    await listener.listen("news", heard.resolve);
    fragile.lose();
    assert.equal(await heard.promise, "");
    await listener.close();
    await fragile.close();
  });

  test("a notification that cannot be handled does not end the process, and the next one is handled", async () => {
    const listener = createListener(database.url!, createLogger("silent"));
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    await listener.listen("news", (payload) => resolve(JSON.parse(payload)));
    await ask(database.url!, "NOTIFY news, 'no JSON'");
    await ask(database.url!, `NOTIFY news, '"JSON"'`);
    assert.equal(await heard, "JSON");
    await listener.close();
  });

  test("PostgreSQL ends a LISTEN connection that no longer reads", async () => {
    const stuck = await databaseProxy(database.url!);
    const listener = createListener(stuck.url, createLogger("silent"), DAY, ANSWER_MS, 2_000);
    await listener.listen("news", () => undefined);
    const listening = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN "news"'`;
    assert.equal((await ask(database.url!, listening)).length, 1);
    stuck.pause();
    const more = "SELECT pg_notify('news', n || repeat('x', 7900)) FROM generate_series(1, 2000) AS n";
    await ask(database.url!, more);
    await eventually(async () => assert.deepEqual(await ask(database.url!, listening), []));
    stuck.heal();
    await listener.close();
    await stuck.close();
  });
}
