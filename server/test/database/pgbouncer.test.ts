import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { onPostgres, testDatabase } from "../harness/database/database.ts";
import { type PgBouncer, pgbouncerMissing, startPgBouncer } from "../harness/database/pgbouncer.ts";
import { closed, connectMqtt, enrollDevice, newKey, newTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer } from "../harness/server.ts";

/** The embedded database has no connections to pool. */
const withPgBouncer = onPostgres ? test : () => undefined;
const skip = pgbouncerMissing ?? false;

async function bouncer(t: TestContext, options: Parameters<typeof startPgBouncer>[1] = {}) {
  const database = await testDatabase();
  const pooler: PgBouncer = await startPgBouncer(database.url!, options);
  t.after(async () => {
    await pooler.stop();
    await database.remove();
  });
  return { url: pooler.url, direct: { MUSTER_DATABASE_DIRECT_URL: database.url! } };
}

withPgBouncer(
  "enrollment, MQTT, takeover, telemetry, API and revocation work through PgBouncer, between two services",
  {
    skip,
  },
  async (t) => {
    const { url, direct } = await bouncer(t);
    const first = await startServer({ databaseUrl: url, env: direct });
    t.after(() => first.stop());
    const second = await startServer({ share: first, env: direct });
    t.after(() => second.stop());
    const tenant = await newTenant(first);
    const devices = await Promise.all(Array.from({ length: 20 }, () => enrollDevice(first, tenant)));
    const [device] = devices as [(typeof devices)[0]];
    const former = await connectMqtt(first, device);
    const client = await connectMqtt(second, device);
    await closed(former);
    const topic = device.topic;
    for (let n = 0; n < 20; n++) await client.publishAsync(topic, JSON.stringify({ temperature: n }), { qos: 1 });
    const others = await Promise.all(devices.slice(1).map((each, n) => connectMqtt([first, second][n % 2]!, each)));
    await Promise.all(others.map((each, n) => each.publishAsync(devices[n + 1]!.topic, '{"t":1}', { qos: 1 })));
    const key = await newKey(first, tenant, "devices:*");
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        https(`${second.httpUrl}/api/v1/devices/${device.deviceId}`, { ca: second.ca, headers: { "x-api-key": key } }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const { items } = await first.app.certificates.listCertificates(tenant.caller, {
      deviceId: device.deviceId,
      skip: 0,
      limit: 1,
    });
    await first.app.enrollment.revokeCertificate(tenant.caller, items[0]!.id);
    await closed(client);
    await assert.rejects(connectMqtt(second, device));
    for (const other of others) other.end(true);
  },
);

withPgBouncer(
  "an address of a PgBouncer needs a direct address beside it, whether PgBouncer refuses settings or drops them",
  {
    skip,
  },
  async (t) => {
    for (const ignores of ["", "options, statement_timeout"]) {
      const { url } = await bouncer(t, { ignores });
      await assert.rejects(
        startServer({ databaseUrl: url }),
        /MUSTER_DATABASE_URL leads through a pooler.*set MUSTER_DATABASE_DIRECT_URL/s,
      );
    }
  },
);

withPgBouncer(
  "a PgBouncer whose connections lack the settings of the service is refused with the line that it lacks",
  {
    skip,
  },
  async (t) => {
    const { url, direct } = await bouncer(t, { settings: false });
    await assert.rejects(startServer({ databaseUrl: url, env: direct }), /add connect_query='SET jit = off/);
  },
);
