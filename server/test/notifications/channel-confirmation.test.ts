import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Channel } from "../../src/groups/channels.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
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

/** A group with unconfirmed channels whose links have been sent. */
async function named(channels: Channel[], tenant?: TestTenant) {
  const { server, newTenant, pass } = environment;
  const owner = tenant ?? (await newTenant());
  const { id } = await server.app.groups.createGroup(owner.caller, { name: "Plant", channels, escalation });
  await pass(0);
  return { tenant: owner, id, unconfirmed: async () => (await read(owner, id)).unconfirmedChannels };
}

const read = (tenant: TestTenant, id: string) => environment.server.app.groups.getGroup(tenant.caller, id);
const email = (target: string): Channel => ({ type: "email", target });
const webhook = (path: string): Channel => ({ type: "webhook", target: environment.sinks.hookUrl(path) });
const open = (url: string) => https(url, { ca: environment.server.ca });

test("nothing is sent to an e-mail address until the button on the page of its link is pressed", async () => {
  const { server, sinks, anomalies, pass } = environment;
  const to = "new@plant.example";
  const { tenant, id, unconfirmed } = await named([email(to)]);
  assert.deepEqual(await unconfirmed(), [email(to)]);
  const first = await anomalies(tenant, [id], 2);
  await first.open(0, 1);
  await pass(0);
  assert.deepEqual(sinks.mailsTo(to), []);
  assert.deepEqual((await server.app.notifications.onCallOfGroup(tenant.caller, id)).gaps.length, 1);

  const link = sinks.linkTo(to)!;
  for (let opened = 0; opened < 2; opened++) {
    const { status, text, headers } = await open(link);
    assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
    assert.match(text, /<form method="post"><button/);
    assert.match(text, /new@plant\.example/);
  }
  assert.equal((await unconfirmed()).length, 1);
  for (let pressed = 0; pressed < 2; pressed++) assert.match(await pressConfirm(link, server.ca), /Confirmed/);
  assert.doesNotMatch((await open(link)).text, /<button/);
  assert.deepEqual(await unconfirmed(), []);
  await first.open(1, 2);
  await pass(0);
  assert.equal(sinks.mailsTo(to).length, 1);
  assert.deepEqual((await server.app.notifications.onCallOfGroup(tenant.caller, id)).gaps, []);
});

test("twenty simultaneous confirmations of one link over two processes confirm once and get the same answer", async () => {
  const { server, second, sinks } = environment;
  const { unconfirmed } = await named([email("race@plant.example")]);
  const url = new URL(sinks.linkTo("race@plant.example")!);
  const processes = [server, second];
  const pages = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const { httpUrl, ca } = processes[n % 2]!;
      return pressConfirm(`${httpUrl}${url.pathname}`, ca);
    }),
  );
  assert.equal(new Set(pages).size, 1);
  assert.deepEqual(await unconfirmed(), []);
});

test("a link expires after three days, and a later one replaces an earlier one", async () => {
  const { server, sinks, pass } = environment;
  const to = "late@plant.example";
  const { tenant, id, unconfirmed } = await named([email(to)]);
  const expired = sinks.linkTo(to)!;
  server.clock.advance(72 * HOUR);
  assert.equal((await open(expired)).status, 410);
  const { status, text } = await https(expired, { method: "POST", ca: server.ca });
  assert.equal(status, 410);
  assert.match(text, /expired/);
  assert.equal((await unconfirmed()).length, 1);
  const again = () => server.app.notifications.requestConfirmation(tenant.caller, { groupId: id, target: to });
  assert.deepEqual(await again(), { confirmed: false });
  await pass(0);
  assert.equal((await open(expired)).status, 404);
  await pressConfirm(sinks.linkTo(to)!, server.ca);
  assert.deepEqual(await again(), { confirmed: true });
});

test("an address receives at most three links per day, however often it is named or requested", async () => {
  const { server, sinks, pass } = environment;
  const to = "other@elsewhere.example";
  const { tenant, id } = await named([email(to)]);
  const count = () => sinks.links.filter((link) => link.to.toLowerCase() === to).length;
  for (let n = 0; n < 5; n++) await named([email(to.toUpperCase())], tenant);
  assert.equal(count(), 1, "a link that is valid is not sent again because another group names the address");
  for (let n = 0; n < 5; n++) {
    await server.app.notifications.requestConfirmation(tenant.caller, { groupId: id, target: to });
    await pass(MINUTE);
  }
  assert.equal(count(), 3);
  await pass(DAY);
  assert.equal(count(), 4);
});

test("an address receives at most twelve links per day from all tenants, and a refusal reveals nothing about other tenants", async () => {
  const { server, sinks, pass, newTenant } = environment;
  const to = "victim@elsewhere.example";
  const count = () => sinks.links.filter((link) => link.to.toLowerCase() === to).length;
  const request = (tenant: TestTenant, groupId: string) =>
    server.app.notifications.requestConfirmation(tenant.caller, { groupId, target: to });
  for (let tenants = 0; tenants < 4; tenants++) {
    const { tenant, id } = await named([email(to)]);
    for (let links = 1; links < 3; links++) {
      await request(tenant, id);
      await pass(0);
    }
  }
  assert.equal(count(), 12);

  const { tenant, id } = await named([email(to)]);
  const refusal = {
    code: "rate_limited",
    message: "No further link can be sent to this address today. Try again tomorrow.",
  };
  await assert.rejects(request(tenant, id), refusal);
  const other = await newTenant();
  const user = await signIn(server, other, "viewer");
  const own = { type: "email", target: to.toUpperCase() };
  const { status, json } = await user.call("POST", "/notifications/channels", { body: own });
  assert.deepEqual([status, json.error, json.message], [429, refusal.code, refusal.message]);
  assert.deepEqual((await user.call("GET", "/notifications")).json.channels, []);
  await pass(HOUR);
  assert.equal(count(), 12);
  await pass(DAY);
  assert.equal(count(), 13, "the group's link has waited");
});

test("a tenant may send sixty links per hour, and the rest follow later", async () => {
  const { sinks, newTenant, pass } = environment;
  const tenant = await newTenant();
  const addresses = Array.from({ length: 70 }, (_, n) => email(`n${n}@${tenant.slug}.example`));
  for (let from = 0; from < addresses.length; from += 20) await named(addresses.slice(from, from + 20), tenant);
  const count = () => sinks.links.filter((link) => link.to.endsWith(`@${tenant.slug}.example`)).length;
  assert.equal(count(), 60);
  await pass(HOUR);
  assert.equal(count(), 70);
});

test("a webhook is confirmed by its answer, or by opening the address in the message", async () => {
  const { server, sinks, anomalies, pass } = environment;
  const { unconfirmed } = await named([webhook("/echo")]);
  assert.deepEqual(await unconfirmed(), []);

  sinks.behave.echo = false;
  const { tenant, id, unconfirmed: silent } = await named([webhook("/silent")]);
  sinks.behave.echo = true;
  const { open: openAnomaly } = await anomalies(tenant, [id], 2);
  await openAnomaly(0, 1);
  await pass(0);
  assert.deepEqual([await silent(), sinks.hooksAt("/silent")], [[webhook("/silent")], []]);
  await pressConfirm(sinks.linkTo("/silent")!, server.ca);
  assert.deepEqual(await silent(), []);
  await openAnomaly(1, 2);
  await pass(0);
  assert.equal(sinks.hooksAt("/silent").length, 1);
});

test("the address of a user needs no confirmation in the user's tenant, and needs one in every other", async () => {
  const { newTenant, user, groupOnDuty } = environment;
  const own = await newTenant();
  const ada = await user(own, "ada");
  assert.deepEqual(
    (await groupOnDuty(own, { channels: [email(ada.email.toUpperCase())] }, [])).unconfirmedChannels,
    [],
  );
  const { unconfirmed } = await named([email(ada.email)]);
  assert.equal((await unconfirmed()).length, 1);
});

test("the stored form of a link does not open it", async () => {
  const { server, sinks } = environment;
  await named([email("hash@plant.example")]);
  const token = new URL(sinks.linkTo("hash@plant.example")!).pathname.split("/").at(-1)!;
  const { db } = server.app.database;
  const rows = await runSql(db, "SELECT to_jsonb(d)::text AS row FROM deliveries d", []);
  const addresses = await runSql(db, "SELECT to_jsonb(a)::text AS row FROM channel_addresses a", []);
  assert.ok(!JSON.stringify([rows, addresses]).includes(token));
  assert.ok(!server.logs.some((line) => line.includes(token)));
});

test("an address without a link is not found, another method is refused, and the page escapes its values", async () => {
  const { server, newTenant, sinks } = environment;
  for (const path of [`/confirm/${"A".repeat(43)}`, "/confirm/short", "/confirm/%00"]) {
    const { status, text } = await open(`${server.httpUrl}${path}`);
    assert.equal(status, 404, path);
    assert.doesNotMatch(text, /<button/);
  }
  const tenant = await newTenant();
  await runSql(server.app.database.db, "UPDATE tenants SET name = '<b>&\"x' WHERE id = $1", [tenant.caller.tenantId]);
  await named([email("escape@plant.example")], tenant);
  const link = sinks.linkTo("escape@plant.example")!;
  assert.match((await open(link)).text, /&lt;b&gt;&amp;&quot;x wants/);
  assert.equal((await https(link, { method: "DELETE", ca: server.ca })).status, 405);
});
