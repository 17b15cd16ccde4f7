import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import type { TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { actions, type NotificationEnvironment, startEnvironment } from "./environment.ts";

let given: NotificationEnvironment;
let withoutMail: TestServer;
before(async () => {
  given = await startEnvironment();
  const { MUSTER_SMTP_URL: _none, ...env } = given.sinks.env;
  withoutMail = await startServer({ env });
});
after(async () => {
  await withoutMail.stop();
  await given.stop();
});

/** Returns the states of an anomaly's steps, the earliest first. */
async function states({ app }: TestServer, tenant: TestTenant, anomalyId: string): Promise<string[]> {
  const pages = await app.notifications.listPages(tenant.caller, anomalyId);
  return pages.toSorted((a, b) => a.afterMinutes - b.afterMinutes).map(({ state }) => state);
}

async function admin({ app }: TestServer, { slug }: TestTenant, name = "boss"): Promise<string> {
  const email = `${name}@${slug}.example`;
  await app.access.createUser(await app.access.systemCaller(slug), { email, role: "admin" });
  return email;
}

test("a step without a confirmed channel makes the next one due at once", async () => {
  const { server, sinks, newTenant, user, anomalies, pass } = given;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const group = await server.app.groups.createGroup(tenant.caller, {
    name: "Pump hall",
    memberUserIds: [ada.id],
    channels: [{ type: "email", target: `plant@${tenant.slug}.example` }],
    escalation: [
      { afterMinutes: 0, notify: "channels" },
      { afterMinutes: 15, notify: "members" },
    ],
  });
  const [anomaly] = await (await anomalies(tenant, [group.id])).open();
  await pass(0);
  assert.equal(sinks.mailsTo(ada.email).length, 1);
  assert.deepEqual(await states(server, tenant, anomaly!.id), ["nobody", "paged"]);
});

test("a step whose messages all fail makes the next one due at once, and counts as paged once a retry arrives", async () => {
  const { server, sinks, newTenant, user, groupOnDuty, anomalies, pass } = given;
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const channels = ["/first", "/second"].map((path) => ({ type: "webhook" as const, target: sinks.hookUrl(path) }));
  const escalation = [
    { afterMinutes: 0, notify: "channels" as const },
    { afterMinutes: 15, notify: "shift" as const },
  ];
  const group = await groupOnDuty(tenant, { channels, escalation }, [ada.id]);
  const storm = await anomalies(tenant, [group.id], 2);
  sinks.behave.hook = (path) => ({ status: path === "/first" ? 500 : 204 });
  const [reached] = await storm.open(0, 1);
  await pass(0);
  assert.deepEqual(await states(server, tenant, reached!.id), ["paged", "due"]);

  sinks.behave.hook = () => ({ status: 500 });
  const [missed] = await storm.open(1, 2);
  await pass(0);
  assert.deepEqual(await states(server, tenant, missed!.id), ["nobody", "paged"]);
  assert.equal(sinks.mailsTo(ada.email).length, 1);

  sinks.behave.hook = () => ({ status: 204 });
  await pass(MINUTE);
  assert.deepEqual(await states(server, tenant, missed!.id), ["paged", "paged"]);
});

test("an anomaly whose pages of two groups reach nobody is mailed to each admin once", async () => {
  const { server, sinks, newTenant, anomalies, pass } = given;
  const tenant = await newTenant();
  const bosses = [await admin(server, tenant), await admin(server, tenant, "chief")];
  const escalation = [
    { afterMinutes: 0, notify: "shift" as const },
    { afterMinutes: 30, notify: "members" as const },
  ];
  const ids = [];
  for (const name of ["Day", "Night"])
    ids.push((await server.app.groups.createGroup(tenant.caller, { name, escalation })).id);
  const { open, resolve } = await anomalies(tenant, ids);
  await open();
  await pass(0);
  await pass(HOUR);
  for (const boss of bosses) {
    const mails = sinks.mailsTo(boss);
    assert.equal(mails.length, 1);
    assert.match(mails[0]!.text, /No escalation step of the =?\s*device's groups reached anybody\./);
  }
  await resolve();
  await pass(0);
  assert.equal(sinks.mailsTo(bosses[0]!)[1]!.subject, "[Muster] RESOLVED: Pump 1: temperature 0 is above 90");
});

test("two last steps that fail at the same time have one last resort", async () => {
  const { server, sinks, newTenant, groupOnDuty, anomalies, pass } = given;
  const tenant = await newTenant();
  const boss = await admin(server, tenant);
  const escalation = [{ afterMinutes: 0, notify: "channels" as const }];
  const ids = [];
  for (const path of ["/left", "/right"]) {
    const channels = [{ type: "webhook" as const, target: sinks.hookUrl(path) }];
    ids.push((await groupOnDuty(tenant, { channels, escalation }, [])).id);
  }
  const storm = await anomalies(tenant, ids, 2);
  sinks.behave.hook = () => ({ status: 500 });
  const opened = await storm.open();
  await pass(0);
  assert.deepEqual(sinks.mailsTo(boss), [], "the receivers may be restarting");
  for (let round = 0; round < 3; round++) await pass(30 * SECOND);
  sinks.behave.hook = () => ({ status: 204 });
  for (const { id } of opened) assert.deepEqual(await states(server, tenant, id), ["nobody", "nobody"]);
  const told = sinks.mailsTo(boss).filter(({ subject }) => subject.startsWith("[Muster] CRITICAL"));
  assert.equal(told.length, opened.length);
});

test("a tenant without a last resort tells nobody, and its pages say so", async () => {
  const { server, sinks, newTenant, anomalies, pass } = given;
  const tenant = await newTenant();
  const boss = await admin(server, tenant);
  await server.app.access.updateTenant(tenant.caller, { lastResort: "none" });
  const escalation = [{ afterMinutes: 0, notify: "shift" as const }];
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Empty", escalation });
  const [anomaly] = await (await anomalies(tenant, [group.id])).open();
  await pass(0);
  assert.deepEqual(await states(server, tenant, anomaly!.id), ["nobody"]);
  assert.deepEqual(sinks.mailsTo(boss), []);
});

test("without a mail server a step to people reaches nobody, and the step to a webhook follows at once", async () => {
  const { newTenant, user, groupOnDuty, anomalies, pass } = actions(withoutMail, given.sinks);
  const tenant = await newTenant();
  const ada = await user(tenant, "ada");
  const channels = [{ type: "webhook" as const, target: given.sinks.hookUrl("/fallback") }];
  const escalation = [
    { afterMinutes: 0, notify: "shift" as const },
    { afterMinutes: 15, notify: "channels" as const },
  ];
  const group = await groupOnDuty(tenant, { channels, escalation }, [ada.id]);
  const [anomaly] = await (await anomalies(tenant, [group.id])).open();
  await pass(0);
  assert.deepEqual(await states(withoutMail, tenant, anomaly!.id), ["nobody", "paged"]);
  assert.equal(given.sinks.hooksAt("/fallback").length, 1);
});
