import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { enrollDevice, renew } from "../harness/devices.ts";
import type { NotificationEnvironment } from "./environment.ts";

/** Notices to a tenant's admins about certificates. */
export function noticeRules(given: () => NotificationEnvironment): void {
  test("admins receive one notice about a key that two devices share, and one about the reuse of a superseded certificate", async () => {
    const { server, sinks, newTenant, pass } = given();
    const { database } = server.app;
    const tenant = await newTenant();
    const fresh = await enrollDevice(server, tenant);
    const certificateOf = `SELECT c.id, c.tenant_id, c.device_uid, c.serial_number FROM certificates c WHERE c.device_id = $1`;
    const find = (deviceId: string) => runSql<Record<string, string>>(database.db, certificateOf, [deviceId]);
    const [old] = await find(fresh.deviceId);
    assert.equal((await renew(server, fresh)).answer.status, 200);
    const refused = `INSERT INTO connection_refusals (id, tenant_id, at, reason, serial_number)
      VALUES (gen_random_uuid(), $1, $2, 'revoked', $3)`;
    const shared = `INSERT INTO device_findings (id, tenant_id, device_uid, kind, certificate_id, at)
      VALUES (gen_random_uuid(), $1, $2, 'shared_key', $3, $4)`;
    for (let n = 0; n < 2; n++) {
      const now = server.clock.now();
      await runSql(database.db, refused, [old!.tenant_id, now, old!.serial_number]);
      await runSql(database.db, shared, [old!.tenant_id, old!.device_uid, old!.id, now]);
    }
    const subjects = () =>
      sinks.mailsTo(tenant.admin.email).map(({ subject }) => subject.replace("[Muster] Test pump ", ""));
    await pass(0);
    assert.deepEqual(subjects().sort(), [
      "shares its private key with another device",
      "tried a certificate that a renewal had replaced: an old copy is in use",
    ]);
  });
}

/** Certificates and messages at the end of their lifetime. */
export function endingRules(given: () => NotificationEnvironment): void {
  test("admins receive one notice about a renewal that is a day overdue, and one about a bundle that expires within thirty days", async () => {
    const { server, second, sinks, newTenant, pass } = given();
    const { devices, enrollment, notifications } = server.app;
    const tenant = await newTenant();
    const { deviceId } = await enrollDevice(server, tenant);
    const { id: bundled } = await devices.createDevice(tenant.caller, { name: "Old pump" });
    await enrollment.issueBundle(tenant.caller, { deviceId: bundled });
    const subjectsAfter = async (ms: number): Promise<string[]> => {
      server.clock.advance(ms);
      for (const { app } of [server, second]) await app.notifications.noticeCertificates();
      await Promise.all([server, second].map(({ app }) => app.notifications.noticeCertificates()));
      await pass(0);
      return sinks.mailsTo(tenant.admin.email).map(({ subject }) => subject);
    };
    assert.deepEqual(await subjectsAfter(22 * DAY), []);
    const overdue = "[Muster] Test pump has not renewed its certificate in time";
    assert.deepEqual(await subjectsAfter(1), [overdue]);
    assert.match(sinks.mailsTo(tenant.admin.email)[0]!.text, new RegExp(deviceId));
    assert.deepEqual(await subjectsAfter(313 * DAY - 1), [overdue]);
    assert.deepEqual(await subjectsAfter(1), [overdue, "[Muster] Old pump has a bundle that ends soon"]);
    assert.equal((await notifications.listDeliveries(tenant.caller, { skip: 0, limit: 9 })).total, 2);
  });

  test("sent messages are deleted after 30 days, and pending ones fail after one", async () => {
    const { server, newTenant, groupOnDuty, anomalies, pass, log } = given();
    const tenant = await newTenant();
    const group = await groupOnDuty(
      tenant,
      {
        channels: [{ type: "email", target: `x@${tenant.slug}.example` }],
        escalation: [{ afterMinutes: 0, notify: "channels" }],
      },
      [],
    );
    const { open } = await anomalies(tenant, [group.id]);
    await open();
    await pass(0);
    const waiting = `INSERT INTO deliveries (id, tenant_id, type, channel, target, payload, created_at, next_at)
      VALUES (gen_random_uuid(), $1, 'x', 'email', 'x', '{}', $2, $3)`;
    const now = server.clock.now();
    await runSql(server.app.database.db, waiting, [tenant.caller.tenantId, new Date(now.getTime() - DAY - 1), now]);
    await server.app.notifications.prune();
    const states = (await log(tenant)).filter(({ type }) => type !== "channel.confirmation").map(({ state }) => state);
    assert.deepEqual(states.sort(), ["failed", "sent"]);
    server.clock.advance(30 * DAY + 1);
    await server.app.notifications.prune();
    assert.deepEqual(await log(tenant), []);
  });
}
