import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE, SECOND } from "../../src/lib/clock.ts";
import { pressConfirm } from "../harness/confirm-channels.ts";
import { runSql } from "../harness/database/run-sql.ts";
import type { TestTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { signIn } from "../harness/sign-in.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

let environment: NotificationEnvironment;
before(async () => {
  environment = await startEnvironment();
});
after(() => environment.stop());

const escalation = [{ afterMinutes: 0, notify: "channels" as const }];
const url = (path: string) => environment.sinks.hookUrl(`/service/${path}`);
const at = (path: string) => environment.sinks.hooks.filter((hook) => hook.path.startsWith(`/service/${path}`));
const LINK = /https:[^\s"\\]+\/confirm\/[\w-]{43}/;

/** The settings of each type, for a server of the test at this path. */
const SERVICES: Record<string, (path: string) => Record<string, string>> = {
  slack: (path) => ({ webhookUrl: url(path) }),
  teams: (path) => ({ webhookUrl: url(path) }),
  google_chat: (path) => ({ webhookUrl: url(path) }),
  discord: (path) => ({ webhookUrl: url(path) }),
  mattermost: (path) => ({ webhookUrl: url(path) }),
  pagerduty: (path) => ({ routingKey: "0123456789abcdef0123456789abcdef", server: url(path) }),
  alertmanager: (path) => ({ server: url(path), authorization: "Bearer s3cret" }),
  ntfy: (path) => ({ topicUrl: environment.sinks.hookUrl(`/${path}`), token: "tk_s3cret" }),
  telegram: (path) => ({ botToken: "123456:s3cret-AAAAAAAAAAAAA", chatId: "-100", server: url(path) }),
  http: (path) => ({ url: url(path), method: "PUT", headers: "X-Key: s3cret" }),
};

/** A group that names a new integration whose receiver has its message. */
async function named(type: string, path: string, tenant?: TestTenant) {
  const { newTenant, pass, server } = environment;
  const owner = tenant ?? (await newTenant());
  const admin = await signIn(server, owner, "admin");
  const body = { type, name: `Hall ${path}`, settings: SERVICES[type]!(path) };
  const added = await admin.call("POST", "/integrations", { body });
  assert.equal(added.status, 201, JSON.stringify(added.json));
  const target: string = added.json.id;
  const channels = [{ type: "integration" as const, target }];
  const group = await server.app.groups.createGroup(owner.caller, { name: "Plant", channels, escalation });
  await pass(0);
  const channel = async () => (await admin.call("GET", `/groups/${group.id}/channels`)).json.items[0];
  return { tenant: owner, admin, target, group, channel, press: () => press(path) };
}

async function press(path: string): Promise<string> {
  const link = LINK.exec(at(path).at(-1)!.body)![0];
  return await pressConfirm(link, environment.server.ca);
}

for (const type of Object.keys(SERVICES))
  test(`${type}: gets the question, then pages and their resolution once a person has pressed the button`, async () => {
    const { anomalies, pass } = environment;
    const { tenant, group, channel, press } = await named(type, type);
    assert.equal((await channel()).state, "requested");
    const { open, resolve } = await anomalies(tenant, [group.id], 2, { name: `Pump of ${type}` });
    await open(0, 1);
    await pass(0);
    assert.equal(at(type).length, 1, "an unconfirmed service gets the question alone");
    assert.match(await press(), /Confirmed/);
    assert.equal((await channel()).state, "confirmed");
    await open(1, 2);
    await pass(0);
    await resolve();
    await pass(0);
    const bodies = at(type)
      .slice(1)
      .map(({ body }) => body);
    assert.equal(bodies.length, 2);
    assert.match(bodies[0]!, new RegExp(`Pump of ${type}`));
    assert.notEqual(bodies[0], bodies[1]);
  });

test("the button works for ten minutes", async () => {
  const { server } = environment;
  const { channel } = await named("slack", "late");
  server.clock.advance(10 * MINUTE);
  const link = LINK.exec(at("late")[0]!.body)![0];
  assert.equal((await https(link, { method: "POST", ca: server.ca })).status, 410);
  assert.equal((await channel()).state, "expired");
});

test("a service that asks to wait is asked again no earlier", async () => {
  const { anomalies, pass, sinks } = environment;
  const { tenant, group, press } = await named("discord", "busy");
  await press();
  sinks.behave.service = (path) =>
    path.endsWith("busy") ? { status: 429, headers: { "retry-after": "300" } } : { status: 200 };
  const { open } = await anomalies(tenant, [group.id]);
  await open();
  await pass(0);
  assert.equal(at("busy").length, 2);
  await pass(299 * SECOND);
  assert.equal(at("busy").length, 2);
  sinks.behave.service = () => ({ status: 204 });
  await pass(2 * SECOND);
  assert.equal(at("busy").length, 3);
});

test("a service that is gone must be confirmed again, and its group shows the error", async () => {
  const { anomalies, pass, sinks, server } = environment;
  const { tenant, group, channel, press, target } = await named("slack", "gone");
  await press();
  sinks.behave.service = (path) => ({ status: path.endsWith("gone") ? 404 : 200 });
  const { open } = await anomalies(tenant, [group.id]);
  await open();
  await pass(0);
  sinks.behave.service = () => ({ status: 200 });
  const { state, lastError } = await channel();
  assert.deepEqual([state, lastError], ["expired", "Slack answered 404"]);
  await server.app.notifications.requestConfirmation(tenant.caller, { groupId: group.id, target });
  await pass(0);
  await press();
  assert.equal((await channel()).state, "confirmed");
});

test("secrets are sealed, and neither shown nor audited", async () => {
  const { server } = environment;
  const { admin, target } = await named("telegram", "sealed");
  const shown = await admin.call("GET", "/integrations");
  assert.deepEqual(shown.json.items[0].settings, { chatId: "-100", server: url("sealed") });
  const { db } = server.app.database;
  const rows = await runSql(db, "SELECT i::text AS row FROM integrations i WHERE id = $1", [target]);
  const stored = JSON.stringify(rows);
  assert.ok(!stored.includes("s3cret") && !stored.includes(Buffer.from("s3cret").toString("hex")));
  const audit = await runSql(db, "SELECT a::text AS row FROM admin_audit a WHERE target = $1", [target]);
  assert.ok(audit.length > 0 && !JSON.stringify(audit).includes("s3cret"));
});

test("an integration that a group names cannot be deleted, and a group cannot name another tenant's", async () => {
  const { newTenant, server } = environment;
  const { admin, group, target, tenant } = await named("slack", "used");
  const refused = await admin.call("DELETE", `/integrations/${target}`);
  assert.deepEqual([refused.status, refused.json.error], [409, "in_use"]);
  const other = await newTenant();
  const channels = [{ type: "integration" as const, target }];
  await assert.rejects(server.app.groups.createGroup(other.caller, { name: "Theirs", channels }), {
    code: "invalid_request",
    detail: "channels.0.target",
  });
  await server.app.groups.setGroupChannels(tenant.caller, group.id, []);
  assert.equal((await admin.call("DELETE", `/integrations/${target}`)).status, 204);
  await assert.rejects(server.app.groups.setGroupChannels(tenant.caller, group.id, channels), {
    code: "invalid_request",
  });
});

test("of twenty races between naming an integration and deleting it, none leaves a channel without its integration", async () => {
  const { newTenant, server } = environment;
  const tenant = await newTenant();
  const { app } = server;
  const admin = await signIn(server, tenant, "admin");
  const group = await app.groups.createGroup(tenant.caller, { name: "Plant" });
  for (let round = 0; round < 20; round++) {
    const body = { type: "slack", name: `Race ${round}`, settings: SERVICES.slack!("race") };
    const { json } = await admin.call("POST", "/integrations", { body });
    const channels = [{ type: "integration" as const, target: json.id as string }];
    await Promise.allSettled([
      app.groups.setGroupChannels(tenant.caller, group.id, channels),
      admin.call("DELETE", `/integrations/${json.id}`),
    ]);
    const { channels: left } = await app.groups.getGroup(tenant.caller, group.id);
    const { items } = (await admin.call("GET", "/integrations")).json;
    assert.equal(
      left.some(({ target }) => target === json.id),
      items.some(({ id }: { id: string }) => id === json.id),
    );
    await app.groups.setGroupChannels(tenant.caller, group.id, []);
  }
});
