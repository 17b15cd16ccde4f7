import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { isGenuine } from "../../src/demo/receivers/standard-webhooks.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { assertRefused, OPERATIONS, publicApi } from "../harness/http/public-api.ts";
import { type NotificationEnvironment, startEnvironment } from "../notifications/environment.ts";

/**
 * Webhooks by API keys: the operations of the public API on the webhooks of groups (docs/spec-decisions.md, Webhooks of
 * API keys).
 */
let environment: NotificationEnvironment;
let tenant: TestTenant;
let call: ReturnType<typeof publicApi>["call"];
let answered: ReadonlySet<string>;

before(async () => {
  environment = await startEnvironment();
  tenant = await newTenant(environment.server);
  ({ call, answered } = publicApi(environment.server, tenant));
});
after(() => environment.stop());
beforeEach(() => {
  environment.sinks.behave.hook = () => ({ status: 204 });
  environment.sinks.behave.echo = true;
});

const escalation = [{ afterMinutes: 0, notify: "channels" as const }];
const newGroup = async () =>
  (await environment.server.app.groups.createGroup(tenant.caller, { name: "Plant", escalation })).id;
const urlOf = (path: string) => environment.sinks.hookUrl(path);
const read = async (id: string) => (await call("getWebhook", { id })).json;

/** Creates a webhook that its receiver has confirmed, with its secret. */
async function confirmed(path: string, groupId?: string) {
  const body = { groupId: groupId ?? (await newGroup()), url: urlOf(path) };
  const { json } = await call("createWebhook", { body });
  await environment.pass(0);
  assert.equal((await read(json.id)).state, "confirmed");
  return json as { id: string; groupId: string; secret: string };
}

/**
 * Sends a test message.
 * @returns the request that arrived at `path`
 */
async function tested(id: string, path: string) {
  environment.server.clock.advance(MINUTE);
  assert.deepEqual((await call("testWebhook", { id })).json.lastCheck.state, "pending");
  await environment.pass(0);
  return environment.sinks.hooksAt(path).at(-1)!;
}

const now = () => environment.server.clock.now();

// This is first because the library compares the signature's time with the real one.
test("a webhook is created, confirmed by its receiver, and receives an anomaly's page signed with its secret", async () => {
  const { sinks, anomalies, pass } = environment;
  const groupId = await newGroup();
  const made = await call("createWebhook", { body: { groupId, url: urlOf("/new") } });
  const { secret, ...webhook } = made.json;
  assert.equal(made.headers.location, `/api/v1/webhooks/${webhook.id}`);
  assert.deepEqual([webhook.state, webhook.groupId, webhook.lastCheck], ["waiting", groupId, null]);
  await pass(0);
  const { state, lastCheck, confirmedAt, ...record } = await read(webhook.id);
  assert.deepEqual([record.url, record.createdAt], [urlOf("/new"), webhook.createdAt]);
  assert.deepEqual(
    [state, lastCheck.type, lastCheck.state, lastCheck.error],
    ["confirmed", "channel.confirmation", "sent", null],
  );
  assert.ok(confirmedAt);
  const { open } = await anomalies(tenant, [groupId]);
  const [anomaly] = await open();
  await pass(0);
  const [page] = sinks.hooksAt("/new");
  const { type, data } = new Webhook(secret).verify(page!.body, page!.headers) as Record<string, { anomaly: object }>;
  assert.deepEqual([type, (data!.anomaly as { id: string }).id], ["anomaly.opened", anomaly!.id]);
  assert.throws(() => new Webhook(`whsec_${btoa("another secret")}`).verify(page!.body, page!.headers));
});

// This is early, too, because the database counts these days by its own clock.
test("an address that no group uses any more is deleted: unconfirmed after a day, confirmed after 30", async () => {
  const { server, sinks, pass } = environment;
  const { db } = server.app.database;
  const stored = async () => {
    await server.app.notifications.prune();
    const rows = await runSql<{ address: string }>(
      db,
      "SELECT address FROM channel_addresses WHERE address LIKE '%/forgotten/%' ORDER BY address",
      [],
    );
    return rows.map(({ address }) => new URL(address).pathname.at(-1)).join("");
  };
  const [known, other] = [await confirmed("/forgotten/a"), await confirmed("/forgotten/b")];
  const again = { groupId: await newGroup(), url: urlOf("/forgotten/b") };
  await call("createWebhook", { body: again });
  sinks.behave.echo = false;
  const { json: silent } = await call("createWebhook", {
    body: { groupId: await newGroup(), url: urlOf("/forgotten/c") },
  });
  await pass(0);
  for (const { id } of [known, other, silent]) await call("deleteWebhook", { id });
  assert.equal(await stored(), "abc");
  server.clock.advance(3 * DAY);
  assert.equal(await stored(), "ab");
  server.clock.advance(60 * DAY);
  assert.equal(await stored(), "b");
  assert.equal((await call("createWebhook", { body: { ...again, url: urlOf("/forgotten/a") } })).json.state, "waiting");
});

test("a test message is sent like a page, at most once per minute, and lastCheck shows its outcome", async () => {
  const { sinks, server, pass } = environment;
  const { id, groupId, secret } = await confirmed("/tested");
  const hook = await tested(id, "/tested");
  assert.ok(isGenuine(hook, secret, now()));
  const { type, data } = JSON.parse(hook.body);
  assert.deepEqual([type, data.group.id, data.webhook.id], ["webhook.test", groupId, id]);
  assert.match(data.requestedBy, /^apikey:/);
  const { lastCheck } = await read(id);
  assert.deepEqual([lastCheck.type, lastCheck.state, lastCheck.error], ["webhook.test", "sent", null]);

  server.clock.advance(20_000);
  const early = await call("testWebhook", { id });
  assertRefused(early, 429, "rate_limited");
  assert.equal(early.headers["retry-after"], "40");
  sinks.behave.hook = () => ({ status: 401 });
  await tested(id, "/tested");
  assert.deepEqual([(await read(id)).lastCheck.state, (await read(id)).lastCheck.error], ["pending", "answered 401"]);
  sinks.behave.hook = () => ({ status: 204 });
  await pass(HOUR);
  assert.equal((await read(id)).lastCheck.state, "sent");
});

test("a test beyond the tenant's messages per minute is refused and leaves nothing behind", async () => {
  const { server } = environment;
  const { id } = await confirmed("/capped");
  server.clock.advance(MINUTE - (now().getTime() % MINUTE) + 15_000);
  await server.app.access.setQuota(tenant.caller, "deliveriesPerMinute", 0);
  const refused = await call("testWebhook", { id });
  assertRefused(refused, 429, "rate_limited");
  assert.equal(refused.headers["retry-after"], "45");
  await server.app.access.setQuota(tenant.caller, "deliveriesPerMinute", undefined);
  assert.equal((await call("testWebhook", { id })).status, 200);
});

test("a receiver that does not answer with the challenge is asked again, and may confirm later", async () => {
  const { sinks, server, pass } = environment;
  sinks.behave.echo = false;
  const { json } = await call("createWebhook", { body: { groupId: await newGroup(), url: urlOf("/slow") } });
  const { id } = json;
  await pass(0);
  assert.equal((await read(id)).state, "requested");
  const inactive = await call("testWebhook", { id });
  assertRefused(inactive, 409, "webhook_inactive");
  assert.equal(inactive.json.state, "requested");
  server.clock.advance(72 * HOUR);
  assert.equal((await read(id)).state, "expired");
  sinks.behave.echo = true;
  assert.equal((await call("requestWebhookConfirmation", { id })).json.state, "waiting");
  await pass(0);
  assert.equal((await read(id)).state, "confirmed");
  assert.equal((await call("requestWebhookConfirmation", { id })).json.state, "confirmed");
});

test("when two groups have one address, each requests its confirmation by name, and it applies to both", async () => {
  const { sinks, server, pass } = environment;
  sinks.behave.echo = false;
  const [first, second] = [await newGroup(), await newGroup()];
  const { json: kept } = await call("createWebhook", { body: { groupId: first, url: urlOf("/both") } });
  const { json: left } = await call("createWebhook", { body: { groupId: second, url: urlOf("/both") } });
  assert.notEqual(kept.secret, left.secret);
  await pass(0);
  await call("deleteWebhook", { id: left.id });
  sinks.behave.echo = true;
  await call("requestWebhookConfirmation", { id: kept.id });
  await pass(0);
  assert.equal((await read(kept.id)).state, "confirmed");
  server.clock.advance(1);
  const again = (await call("createWebhook", { body: { groupId: second, url: urlOf("/both") } })).json;
  assert.deepEqual([again.id, again.state, again.lastCheck], [left.id, "confirmed", null]);
  assert.equal((await read(kept.id)).lastCheck.state, "sent");
  assert.notEqual(again.secret, left.secret);
  server.clock.advance(MINUTE);
});

test("a webhook that is deleted unconfirmed and added again requests confirmation again, up to the cap of the address", async () => {
  const { sinks, server, pass } = environment;
  sinks.behave.echo = false;
  const url = urlOf("/again");
  const [first, second] = [await newGroup(), await newGroup()];
  const add = async (groupId: string) => {
    server.clock.advance(1);
    const { json } = await call("createWebhook", { body: { groupId, url } });
    assert.equal(json.lastCheck, null);
    await pass(0);
    return { id: json.id, state: json.state, asked: sinks.links.filter(({ to }) => to === "/again").length };
  };
  const deleted = await add(first);
  assert.deepEqual([deleted.asked, (await read(deleted.id)).state], [1, "requested"]);
  await call("deleteWebhook", { id: deleted.id });
  const again = await add(first);
  assert.deepEqual(again, { id: deleted.id, state: "waiting", asked: 2 });
  const other = await add(second);
  assert.deepEqual([other.state, other.asked], ["waiting", 3]);
  await call("deleteWebhook", { id: other.id });
  const capped = await add(second);
  assert.deepEqual([capped.asked, (await read(capped.id)).state], [3, "waiting"]);
  sinks.behave.echo = true;
  await pass(DAY);
  assert.equal((await read(capped.id)).state, "confirmed");
});

test("a new secret signs immediately, alongside the previous one for a day and without the one before that", async () => {
  const { server } = environment;
  const { id, secret } = await confirmed("/rotated");
  const rotate = async () => (await call("rotateWebhookSecret", { id })).json;
  const signedWith = async (secrets: string[]) => {
    const hook = await tested(id, "/rotated");
    return secrets.map((each) => isGenuine(hook, each, now()));
  };
  const second = await rotate();
  assert.equal(Date.parse(second.formerSecretUntil) - now().getTime(), DAY);
  assert.deepEqual(await signedWith([secret, second.secret]), [true, true]);
  const third = await rotate();
  assert.deepEqual(await signedWith([secret, second.secret, third.secret]), [false, true, true]);
  server.clock.advance(DAY);
  assert.equal((await read(id)).formerSecretUntil, null);
  assert.deepEqual(await signedWith([second.secret, third.secret]), [false, true]);
});

test("a secret is shown once: a repetition under the same Idempotency-Key neither shows nor replaces it", async () => {
  const { server } = environment;
  const key = await newKey(server, tenant, "webhooks:write");
  const headers = { "x-api-key": key, "idempotency-key": "once" };
  const body = { groupId: await newGroup(), url: urlOf("/once") };
  const { id, secret } = (await call("createWebhook", { body, headers })).json;
  const repeated = await call("createWebhook", { body, headers });
  assertRefused(repeated, 409, "already_processed");
  assert.equal(repeated.json.resourceId, id);
  await environment.pass(0);
  const rotating = { id, headers: { "x-api-key": key, "idempotency-key": "again" } };
  const rotated = (await call("rotateWebhookSecret", rotating)).json.secret;
  assertRefused(await call("rotateWebhookSecret", rotating), 409, "already_processed");
  const hook = await tested(id, "/once");
  assert.deepEqual([isGenuine(hook, secret, now()), isGenuine(hook, rotated, now())], [true, true]);
});

test("an address that answers 410 is disabled until it is enabled, and then receives messages again", async () => {
  const { sinks } = environment;
  const { id } = await confirmed("/gone");
  sinks.behave.hook = () => ({ status: 410 });
  await tested(id, "/gone");
  const { state, disabledAt, lastCheck } = await read(id);
  assert.deepEqual([state, lastCheck.state, lastCheck.error], ["disabled", "failed", "answered 410"]);
  assert.ok(disabledAt);
  assert.equal((await call("testWebhook", { id })).json.state, "disabled");
  sinks.behave.hook = () => ({ status: 204 });
  for (const _ of [1, 2]) assert.equal((await call("enableWebhook", { id })).json.state, "confirmed");
  const before = sinks.hooksAt("/gone").length;
  await tested(id, "/gone");
  assert.equal(sinks.hooksAt("/gone").length, before + 1);
});

test("a deleted webhook receives nothing more, not even pending messages, and its id is not found", async () => {
  const { sinks, anomalies, pass } = environment;
  const { id, groupId } = await confirmed("/deleted");
  const { open, resolve } = await anomalies(tenant, [groupId]);
  await open();
  await pass(0);
  const before = sinks.hooksAt("/deleted").length;
  await call("deleteWebhook", { id });
  await resolve();
  await pass(HOUR);
  assert.equal(sinks.hooksAt("/deleted").length, before);
  assert.deepEqual((await environment.server.app.groups.getGroup(tenant.caller, groupId)).channels, []);
  for (const operation of ["getWebhook", "deleteWebhook", "rotateWebhookSecret", "testWebhook", "enableWebhook"])
    assertRefused(await call(operation, { id }), 404, "not_found");
});

test("webhooks are listed newest first, of all groups or one, page by page, together with those of the admin app", async () => {
  const { server } = environment;
  const [one, other] = [await newGroup(), await newGroup()];
  const ids: string[] = [];
  for (const [groupId, path] of [
    [one, "/a"],
    [other, "/b"],
    [one, "/c"],
  ] as const) {
    server.clock.advance(1);
    ids.unshift((await call("createWebhook", { body: { groupId, url: urlOf(path) } })).json.id);
  }
  server.clock.advance(1);
  const channels = [{ type: "webhook" as const, target: urlOf("/d") }];
  const { id: third } = await server.app.groups.createGroup(tenant.caller, { name: "App", channels });
  const listed = async (query: string) => (await call("listWebhooks", { query })).json;
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  const first = await listed("?limit=2");
  assert.deepEqual([first.items[0].groupId, first.items[1].id], [third, ids[0]]);
  assert.deepEqual(idsOf(await listed("?limit=2&skip=2")), ids.slice(1));
  assert.deepEqual(idsOf(await listed(`?groupId=${one}`)), [ids[0], ids[2]]);
  assert.deepEqual((await listed(`?groupId=${one}&limit=1`)).total, 2);
});

test("an address that is invalid for a channel is refused, and no answer repeats it", async () => {
  const groupId = await newGroup();
  const secret = "hidden-in-the-path";
  const wrong = [
    `http://hooks.example/${secret}`,
    `https://user:${secret}@hooks.example/`,
    `https://hooks.example/#${secret}`,
    `https://hooks.example/ ${secret}`,
    `https://hooks.example\\${secret}`,
    `https:${secret}`,
    `https://hooks.example/${"x".repeat(2_048)}${secret}`,
    `https://hooks.example/\u0000${secret}`,
    `https://hooks.example/\ud800${secret}`,
  ];
  for (const url of wrong) {
    const answer = await call("createWebhook", { body: { groupId, url } });
    assertRefused(answer, 400, "invalid_request");
    assert.ok(!answer.text.includes(secret), answer.text);
  }
  assert.deepEqual((await environment.server.app.groups.getGroup(tenant.caller, groupId)).channels, []);
});

/**
 * Sends simultaneous requests, over two processes on PostgreSQL.
 * @returns their statuses in order
 */
async function atOnce(bodies: readonly object[]): Promise<number[]> {
  const { server, second } = environment;
  const key = await newKey(server, tenant, "webhooks:write");
  const answers = bodies.map((body, n) => {
    const { httpUrl, ca } = [server, second][n % 2]!;
    return https(`${httpUrl}/api/v1/webhooks`, { ca, headers: { "x-api-key": key }, body });
  });
  return (await Promise.all(answers)).map(({ status }) => status).sort();
}

test("when two additions meet the cap of a group, the tenant's quota, or the same address, one succeeds", async () => {
  const { server } = environment;
  const { groups, access } = server.app;
  const channels = Array.from({ length: 19 }, (_, n) => ({ type: "webhook" as const, target: urlOf(`/full/${n}`) }));
  const { id: full } = await groups.createGroup(tenant.caller, { name: "Full", channels });
  const two = (groupId: string, paths: string[]) => paths.map((path) => ({ groupId, url: urlOf(path) }));
  assert.deepEqual(await atOnce(two(full, ["/full/x", "/full/y"])), [201, 400]);
  assert.equal((await groups.getGroup(tenant.caller, full)).channels.length, 20);

  const used = (await access.tenantUsage(tenant.caller)).find(({ quota }) => quota === "channels")!.used;
  await access.setQuota(tenant.caller, "channels", used + 1);
  const [one, other] = [await newGroup(), await newGroup()];
  assert.deepEqual(await atOnce([...two(one, ["/q"]), ...two(other, ["/q"])]), [201, 409]);
  await access.setQuota(tenant.caller, "channels", undefined);

  assert.deepEqual(await atOnce(two(await newGroup(), ["/same", "/same"])), [201, 409]);
});

test("no secret is in a list, a log, an audit, or any row of the database", async () => {
  const { server, log } = environment;
  const { id, secret } = await confirmed("/kept");
  const rotated = (await call("rotateWebhookSecret", { id })).json.secret;
  await tested(id, "/kept");
  const { access } = server.app;
  const page = { skip: 0, limit: 200 };
  const audits = [await access.listApiWrites(tenant.caller, page), await access.listAdminActs(tenant.caller, page)];
  const shown = [await read(id), (await call("listWebhooks")).json, await log(tenant), audits, server.logs];
  const { db } = server.app.database;
  const names = await runSql<{ name: string }>(
    db,
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    [],
  );
  for (const part of [secret, rotated].map((each) => each.slice("whsec_".length, -1))) {
    assert.ok(!JSON.stringify(shown).includes(part));
    const each = names.map(({ name }) => `SELECT t::text FROM ${name} t WHERE t::text LIKE '%' || $1 || '%'`);
    assert.deepEqual(await runSql(db, each.join(" UNION ALL "), [part]), []);
  }
  const writes = (await access.listApiWrites(tenant.caller, { resource: "webhook", ...page })).items;
  const ofId = writes.filter(({ resourceId }) => resourceId === id);
  assert.deepEqual(
    ofId.map(({ operation, result }) => [operation, result]),
    [
      ["testWebhook", "unchanged"],
      ["rotateWebhookSecret", "updated"],
      ["createWebhook", "created"],
    ],
  );
});

test("every operation on webhooks has succeeded above with its documented shape", () => {
  assert.deepEqual([...answered].sort(), OPERATIONS.webhooks.toSorted());
});
