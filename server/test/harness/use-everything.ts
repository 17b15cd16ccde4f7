import assert from "node:assert/strict";
import type { PublicRoute } from "../../src/api/route.ts";
import { routes } from "../../src/api/routes.ts";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import { connectMqtt, type TestTenant } from "./devices.ts";
import { https } from "./http/https.ts";
import { oneOfEach } from "./one-of-each.ts";
import type { TestServer } from "./server.ts";

const publicRoutes = routes.filter((route): route is PublicRoute => route.surface === "public");

/**
 * A record of each kind is made and read, a device enrolls, connects and publishes, and the jobs have their turn.
 * @param key with every scope
 */
export async function useEverything(server: TestServer, tenant: TestTenant, key: string): Promise<void> {
  const { app, clock } = server;
  const records = await oneOfEach(server, tenant);
  for (const route of publicRoutes.filter(({ method }) => method === "GET")) {
    // Not further than certificates are valid before they are issued: TLS has the real time.
    clock.advance(500);
    const [, , , kind] = route.path.split("/");
    if (route.path.endsWith("/events")) continue;
    const url = `${server.httpUrl}${records.path(route, records.ids[kind!])}`;
    const { status, text } = await https(url, { ca: server.ca, headers: { "x-api-key": key } });
    assert.equal(status, 200, `${route.operationId}: ${text}`);
  }
  const { device } = records;
  const old = { ts: clock.now().getTime() - 3 * DAY, values: { temperature: 21 } };
  const client = await connectMqtt(server, device, { clean: false });
  for (const payload of [{ temperature: 95 }, old])
    await client.publishAsync(device.topic, JSON.stringify(payload), { qos: 1 });
  await client.endAsync();
  await app.connections.flush();
  await app.connections.beatNow();
  await app.notifications.runDue();
  await app.rules.pollSilence();
  // The old reading is in no chunk yet, so it is stored again when its day is dropped.
  await app.telemetry.retireMessages();
  await app.telemetry.rollUp();
  const range = { from: new Date(old.ts - HOUR), to: new Date(old.ts + HOUR), limit: 10 };
  const { items } = await app.telemetry.listReadings(tenant.caller, device.deviceId, "temperature", range);
  assert.deepEqual(
    items.map(({ value }) => value),
    [21],
  );
  await revokeNewest(server, tenant, device.deviceId);
  // Heartbeats have the time of the database, not that of the test.
  const { checks } = await app.doctor.examine({ deep: true });
  const broken = checks.filter(({ ok, level, name }) => !ok && level === "must" && !name.includes("heartbeat"));
  assert.deepEqual(broken, []);
}

async function revokeNewest({ app }: TestServer, { caller }: TestTenant, deviceId: string): Promise<void> {
  const { items } = await app.certificates.listCertificates(caller, { deviceId, skip: 0, limit: 1 });
  await app.enrollment.revokeCertificate(caller, items[0]!.id);
}
