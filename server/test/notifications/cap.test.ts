import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

const CAP = 12;

let environment: NotificationEnvironment;
before(async () => {
  environment = await startEnvironment({ MUSTER_LIMIT_DELIVERIES_PER_MINUTE: String(CAP) });
  // The clock starts at a full minute, so that a test's messages all belong to one minute.
  environment.server.clock.advance(MINUTE - (environment.server.clock.now().getTime() % MINUTE));
});
after(() => environment.stop());

/** Creates a tenant whose anomalies notify one person and one channel. */
async function notified() {
  const { newTenant, user, groupOnDuty, sinks, pass } = environment;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const path = `/${tenant.slug}`;
  const crew = await groupOnDuty(tenant, { escalation: [{ afterMinutes: 0, notify: "shift" }] }, [ada.id]);
  const room = await groupOnDuty(
    tenant,
    {
      channels: [{ type: "webhook", target: sinks.hookUrl(path) }],
      escalation: [{ afterMinutes: 0, notify: "channels" }],
    },
    [],
  );
  await pass(MINUTE);
  return { tenant, ada, path, crew: crew.id, room: room.id };
}

test("messages beyond a tenant's limit per minute are suppressed, and one mail reports how many", async () => {
  const { sinks, anomalies, pass, measured, server, second } = environment;
  const { tenant, path, room } = await notified();
  const { open } = await anomalies(tenant, [room], 30, { severity: "minor" });
  // Both processes send simultaneously: the cap is exact.
  await Promise.all([open(0, 15), open(15, 30)]);
  await Promise.all([server, second].map(({ app }) => app.notifications.runDue()));
  await pass(0);
  // The last quarter is reserved for people.
  assert.equal(sinks.hooksAt(path).length, (CAP * 3) / 4);
  await pass(MINUTE);
  const [report, ...more] = sinks.mailsTo(tenant.admin.email);
  assert.deepEqual([report!.subject, more], [`[Muster] ${30 - (CAP * 3) / 4} messages were suppressed`, []]);
  await pass(MINUTE);
  assert.equal(sinks.mailsTo(tenant.admin.email).length, 1);
  assert.ok((await measured('muster_notifications_total{channel="webhook",result="suppressed"}')) > 0);
});

test("a tenant's own quota of messages per minute counts immediately, is reported, and its use is listed", async () => {
  const { sinks, anomalies, pass, server } = environment;
  const { tenant, path, room } = await notified();
  const { access } = server.app;
  await access.setQuota(tenant.caller, "deliveriesPerMinute", 4);
  const { open } = await anomalies(tenant, [room], 10, { severity: "minor" });
  await open();
  await pass(0);
  assert.equal(sinks.hooksAt(path).length, 3);
  const used = async () =>
    (await access.tenantUsage(tenant.caller)).find(({ quota }) => quota === "deliveriesPerMinute");
  const { of, ...use } = (await used())!;
  assert.deepEqual(use, { quota: "deliveriesPerMinute", used: 3, limit: 4, own: true });
  assert.match(of, /messages about anomalies/);
  await pass(MINUTE);
  assert.equal((await used())!.used, 0);
  assert.match(sinks.mailsTo(tenant.admin.email)[0]!.text, /the limit of 4 per minute.*7 further/s);
});

test("critical pages to people are never suppressed, and minor messages suppress no critical page to a channel", async () => {
  const { sinks, anomalies, pass } = environment;
  const { tenant, ada, path, crew, room } = await notified();
  const lesser = await anomalies(tenant, [room], 20, { severity: "minor" });
  const critical = await anomalies(tenant, [crew, room], 20, { name: "Boiler" });
  await lesser.open();
  await pass(0);
  await critical.open();
  await pass(0);
  assert.equal(sinks.mailsTo(ada.email).length, 20);
  const toRoom = sinks.hooksAt(path).map(({ body }) => JSON.parse(body).data.anomaly.severity);
  assert.equal(toRoom.filter((severity) => severity === "critical").length, CAP);
});

test("a new minute has room again, and one tenant's messages use none of another's", async () => {
  const { sinks, anomalies, pass } = environment;
  const [greedy, modest] = [await notified(), await notified()];
  const flood = await anomalies(greedy.tenant, [greedy.room], 20, { severity: "minor" });
  const few = await anomalies(modest.tenant, [modest.room], 3, { severity: "minor" });
  await flood.open(0, 10);
  await few.open();
  await pass(0);
  assert.deepEqual([sinks.hooksAt(greedy.path).length, sinks.hooksAt(modest.path).length], [9, 3]);
  await pass(MINUTE);
  await flood.open(10, 20);
  await pass(0);
  assert.equal(sinks.hooksAt(greedy.path).length, 18);
});
