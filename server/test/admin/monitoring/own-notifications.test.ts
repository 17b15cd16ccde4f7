import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { pressConfirm } from "../../harness/confirm-channels.ts";
import type { TestTenant } from "../../harness/devices.ts";
import { PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";
import { type NotificationEnvironment, startEnvironment } from "../../notifications/environment.ts";
import { BASE, choose, ok, paged, pagesTo, refused } from "../../notifications/own-notifications.ts";

let environment: NotificationEnvironment;
let tenant: TestTenant;
let ada: SignedIn;

before(async () => {
  environment = await startEnvironment();
  tenant = await environment.newTenant();
  ada = await signIn(environment.server, tenant, "viewer");
});
after(() => environment.stop());

const add = (user: SignedIn, type: string, target: string) =>
  user.call("POST", `${BASE}/channels`, { body: { type, target } });
const statesOf = async (user: SignedIn) =>
  (await ok(user.call("GET", BASE))).channels.map((each: { target: string; state: string }) => [
    each.target,
    each.state,
  ]);

test("a user's channel is used once its receiver has confirmed it, in addition to the account's address", async () => {
  const { server, sinks, pass } = environment;
  const { user, open } = await paged(environment, tenant, "major");
  const home = "ada@home.example";
  const hook = sinks.hookUrl("/own");
  assert.equal((await ok(add(user, "email", home), 201)).secret, null);
  const { secret } = await ok(add(user, "webhook", hook), 201);
  assert.match(secret, /^whsec_/);
  assert.equal((await ok(add(user, "webhook", hook), 201)).secret, null, "the secret is shown once");
  await pass(0);
  assert.deepEqual((await statesOf(user))[0], [home, "requested"]);
  await sinks.until(() => sinks.linkTo(home) !== undefined);
  assert.match(await pressConfirm(sinks.linkTo(home)!, server.ca), /Confirmed/);
  const confirmed = [
    [home, "confirmed"],
    [hook, "confirmed"],
  ];
  assert.deepEqual(await statesOf(user), confirmed);
  const { id } = await open();
  await pass(0);
  assert.deepEqual([pagesTo(environment, home).length, pagesTo(environment, user.email).length], [1, 1]);
  const received = new Webhook(secret).verify(
    sinks.hooksAt("/own").at(-1)!.body,
    sinks.hooksAt("/own").at(-1)!.headers,
  );
  assert.equal((received as { data: { anomaly: { id: string } } }).data.anomaly.id, id);

  const shownTo = async (who: SignedIn) => {
    const { items } = await ok(who.call("GET", `/deliveries?anomalyId=${id}`));
    return new Set(items.map(({ target }: { target: string }) => target));
  };
  assert.deepEqual(await shownTo(user), new Set([user.email, home, hook]));
  const hidden = new Set([user.email, "…@home.example", `${new URL(hook).origin}/…`]);
  assert.deepEqual(
    await shownTo(await signIn(server, tenant)),
    hidden,
    "others see the hosts of a user's own channels",
  );

  assert.deepEqual(await ok(user.call("POST", `${BASE}/test`)), { recipients: 3 });
  await choose(user, { accountEmail: false });
  assert.deepEqual(await ok(user.call("POST", `${BASE}/test`)), { recipients: 2 });
  await pass(0);
  const { items } = await ok(user.call("GET", `${BASE}/tests`));
  assert.deepEqual(new Set(items.map(({ state }: { state: string }) => state)), new Set(["sent"]));
  assert.equal(items.length, 5);
});

test("a removed webhook receives nothing more, and has another secret when it is added again", async () => {
  const { sinks, pass } = environment;
  const user = await signIn(environment.server, tenant, "viewer");
  const hook = sinks.hookUrl("/removed");
  const { id, secret } = await ok(add(user, "webhook", hook), 201);
  await pass(0);
  assert.deepEqual(await statesOf(user), [[hook, "confirmed"]]);
  sinks.behave.hook = (path) => ({ status: path === "/removed" ? 503 : 204 });
  await ok(user.call("POST", `${BASE}/test`));
  await pass(0);
  await ok(user.call("DELETE", `${BASE}/channels/${id}`), 204);
  sinks.behave.hook = () => ({ status: 204 });
  const before = sinks.hooksAt("/removed").length;
  await pass(HOUR);
  const { items } = await ok(user.call("GET", `${BASE}/tests`));
  const { state, error } = items.find(({ channel }: { channel: string }) => channel === "webhook");
  assert.deepEqual([state, error], ["failed", "the user has no such webhook any more"]);
  assert.equal(sinks.hooksAt("/removed").length, before);
  await ok(user.call("POST", "/session/step-up", { body: { password: PASSWORD } }), 204);
  assert.notEqual((await ok(add(user, "webhook", hook), 201)).secret, secret);
});

/** Adds a mailbox as the user's own, and confirms it. */
async function mailbox(user: SignedIn, address: string): Promise<string> {
  const { server, sinks, pass } = environment;
  const links = sinks.links.length;
  const { id } = await ok(add(user, "email", address), 201);
  await pass(0);
  await sinks.until(() => sinks.links.length > links);
  await pressConfirm(sinks.linkTo(address)!, server.ca);
  return id;
}

test("pending mail for a user's own mailbox ends when the user removes it", async () => {
  const { sinks, pass, server } = environment;
  const user = await signIn(server, tenant, "viewer");
  const home = "left@home.example";
  const id = await mailbox(user, home);
  sinks.behave.mail = (to) => (to === home ? { responseCode: 451 } : undefined);
  await ok(user.call("POST", `${BASE}/test`));
  await pass(0);
  await ok(user.call("DELETE", `${BASE}/channels/${id}`), 204);
  sinks.behave.mail = () => undefined;
  await pass(HOUR);
  const { items } = await ok(user.call("GET", `${BASE}/tests`));
  const { state, error } = items.find(({ target }: { target: string }) => target === home);
  assert.deepEqual([state, error], ["failed", "the user has no such address any more"]);
  assert.equal(sinks.mailsTo(home).length, 0);
  assert.equal(sinks.mailsTo(user.email).filter(({ subject }) => /test/i.test(subject)).length, 1);
});

test("users who share a mailbox get separate digests: one user's ends with the channel, the other's arrives", async () => {
  const { sinks, pass, server } = environment;
  const shared = "shared@home.example";
  const [leaves, stays] = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "viewer")];
  const id = await mailbox(leaves, shared);
  await mailbox(stays, shared);
  sinks.behave.mail = (to) => (to === shared ? { responseCode: 451 } : undefined);
  for (const user of [leaves, stays]) {
    await choose(user, { accountEmail: false });
    for (let n = 0; n < 15; n++) await ok(user.call("POST", `${BASE}/test`));
  }
  await pass(0);
  await ok(leaves.call("DELETE", `${BASE}/channels/${id}`), 204);
  sinks.behave.mail = () => undefined;
  await pass(HOUR);
  for (let minutes = 0; minutes < 3; minutes++) await pass(MINUTE);
  const states = async (user: SignedIn) => {
    const { items } = await ok(user.call("GET", `${BASE}/tests`));
    return [items.length, ...new Set(items.map(({ state }: { state: string }) => state))];
  };
  assert.deepEqual(
    [await states(leaves), await states(stays)],
    [
      [15, "failed"],
      [15, "sent"],
    ],
  );
  assert.ok(sinks.mailsTo(shared).every(({ text }) => !text.includes(leaves.email)));
});

test("a webhook that answered 410 is not enabled for its group or another user by a user who adds it", async () => {
  const { sinks, pass, server } = environment;
  const hook = sinks.hookUrl("/gone");
  const escalation = [{ afterMinutes: 0, notify: "channels" as const }];
  const { group, open } = await paged(environment, tenant, "major", {
    channels: [{ type: "webhook", target: hook }],
    escalation,
  });
  const [first, second] = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "viewer")];
  const ofGroup = { groupId: group.id, target: hook, enable: false };
  const disabled = async () => (await server.app.notifications.showWebhook(tenant.caller, ofGroup)).disabled;
  sinks.behave.hook = (path) => ({ status: path === "/gone" ? 410 : 204 });
  await open();
  await pass(0);
  assert.equal(await disabled(), true);
  await ok(add(first, "webhook", hook), 201);
  await pass(0);
  assert.deepEqual([await statesOf(first), await disabled()], [[[hook, "confirmed"]], true]);

  await ok(first.call("POST", `${BASE}/test`));
  await pass(0);
  assert.deepEqual(await statesOf(first), [[hook, "disabled"]]);
  await ok(add(second, "webhook", hook), 201);
  await pass(0);
  assert.deepEqual([await statesOf(second), await statesOf(first)], [[[hook, "confirmed"]], [[hook, "disabled"]]]);
  sinks.behave.echo = false;
  await ok(add(first, "webhook", hook), 201);
  await pass(0);
  sinks.behave.echo = true;
  sinks.behave.hook = () => ({ status: 204 });
  assert.deepEqual(await statesOf(first), [[hook, "requested"]], "its receiver has to confirm it again");
  assert.deepEqual(await ok(first.call("POST", `${BASE}/test`)), { recipients: 1 });
});

test("a user sees and changes only their own channels, whose number is limited", async () => {
  const bob = await signIn(environment.server, tenant, "viewer");
  const { id } = await ok(add(bob, "email", "bob@home.example"), 201);
  assert.deepEqual(await statesOf(ada), []);
  await ok(ada.call("DELETE", `${BASE}/channels/${id}`), 204);
  assert.equal((await statesOf(bob)).length, 1);
  await refused(add(bob, "email", bob.email), 400, "invalid_request");
  await refused(add(bob, "webhook", "http://hooks.example/"), 400, "invalid_request");
  for (let n = 1; n < 5; n++) await ok(add(bob, "email", `bob${n}@home.example`), 201);
  await refused(add(bob, "email", "bob5@home.example"), 400, "invalid_request");
  const mine = (await ok(bob.call("GET", BASE))).channels;
  for (const each of mine) await ok(bob.call("DELETE", `${BASE}/channels/${each.id}`), 204);
  for (let n = 5; n < 10; n++) await ok(add(bob, "email", `bob${n}@home.example`), 201);
  await ok(bob.call("DELETE", `${BASE}/channels/${(await ok(bob.call("GET", BASE))).channels[0].id}`), 204);
  await refused(add(bob, "email", "bob10@home.example"), 429, "rate_limited");
});

test("a mailbox receives at most a hundred tests per day, and a group's test then omits it", async () => {
  const { pass, server } = environment;
  const [user, other] = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "viewer")];
  const tries = () => user.call("POST", `${BASE}/test`);
  for (let n = 0; n < 60; n++) await ok(tries());
  await pass(HOUR + MINUTE);
  for (let n = 0; n < 40; n++) await ok(tries());
  await refused(tries(), 429, "rate_limited");
  const admin = await signIn(server, tenant);
  const group = async (memberUserIds: string[]) =>
    (await server.app.groups.createGroup(tenant.caller, { name: "Members", memberUserIds })).id;
  const testOf = (id: string) => admin.call("POST", `/groups/${id}/test`, { body: { notify: "members" } });
  assert.deepEqual(await ok(testOf(await group([user.userId, other.userId]))), { recipients: 2, messages: 1 });
  await refused(testOf(await group([user.userId])), 429, "rate_limited");
});

test("all users of a tenant together may send three links per day to one address", async () => {
  const { server, sinks, pass } = environment;
  const [victim, spelled] = ["victim@elsewhere.example", "Victim@elsewhere.example"];
  const users = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "viewer")];
  const sent = () => sinks.links.filter(({ to }) => to.toLowerCase() === victim).length;
  for (let links = 1; links <= 4; links++) {
    await ok(add(users[links % 2]!, "email", links > 2 ? spelled : victim), 201);
    await pass(0);
    await sinks.until(() => sent() >= Math.min(links, 3));
  }
  assert.equal(sent(), 3);
});
