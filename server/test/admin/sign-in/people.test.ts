import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { type Mail, type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn, tokenOf } from "../../harness/sign-in.ts";

/** Set-up, invitations, resets, users, and the user's own account. */
let server: TestServer;
let sinks: Sinks;
let tenant: TestTenant;
let ada: SignedIn;

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: { MUSTER_SMTP_URL: sinks.env.MUSTER_SMTP_URL } });
});
after(async () => {
  await server.stop();
  await sinks.stop();
});

/** Waits for the first mail that meets the condition. */
async function mail(is: (mail: Mail) => boolean): Promise<Mail> {
  await sinks.until(() => sinks.mails.some(is));
  return sinks.mails.find(is)!;
}

/** Removes the line breaks of quoted-printable. */
const textOf = ({ text }: Mail) => text.replaceAll("=\r\n", "");

const OTHER = "seven purple bicycles sing";
const status = async (user: SignedIn) => (await user.call("GET", "/session")).status;

test("the set-up link creates tenant and first admin once, even if two redeem it, and no later link does", async () => {
  const { identity } = server.app;
  assert.deepEqual((await newBrowser(server).call("GET", "/setup")).json, {
    open: true,
    mail: true,
    singleSignOn: false,
  });
  const first = await identity.firstSetUpLink();
  const { url } = await identity.makeSetUpLink();
  const body = { tenantName: "Acme", tenantSlug: "acme", email: "ada@acme.example", password: PASSWORD };
  const replaced = await newBrowser(server).call("POST", "/setup", { body: { ...body, token: tokenOf(first!.url) } });
  assert.deepEqual([replaced.status, replaced.json.error], [410, "link_expired"]);
  const token = tokenOf(url);
  const weak = await newBrowser(server).call("POST", "/setup", {
    body: { ...body, token, password: "Password123456" },
  });
  assert.deepEqual([weak.status, weak.json.detail], [400, "password"]);
  const browser = newBrowser(server);
  const redeem = () => browser.call("POST", "/setup", { body: { ...body, token } });
  const answers = await Promise.all([redeem(), redeem()]);
  assert.deepEqual(answers.map((each) => each.status).sort(), [201, 410]);
  const { json } = await browser.call("GET", "/session");
  assert.deepEqual(
    [json.user.role, json.user.platform, json.tenant.slug, json.passwordDue],
    ["admin", true, "acme", false],
  );
  assert.equal((await newBrowser(server).call("GET", "/setup")).json.open, false);
  await assert.rejects(identity.makeSetUpLink(), { code: "invalid_request" });
  assert.equal(await identity.firstSetUpLink(), undefined);
  const acts = await server.app.access.listAdminActs(await server.app.access.systemCaller("acme"), {
    skip: 0,
    limit: 10,
  });
  assert.deepEqual(acts.items.map(({ act }) => act).sort(), ["session.begin", "tenant.create", "user.create"]);
});

test("an invitation is mailed and shown once, is accepted once, and is replaced by a later one", async () => {
  tenant = await newTenant(server);
  ada = await signIn(server, tenant);
  const email = "grace@acme.example";
  const first = await ada.call("POST", "/invites", { body: { email, role: "operator" } });
  const second = await ada.call("POST", "/invites", { body: { email: "Grace@acme.example", role: "viewer" } });
  assert.deepEqual([first.status, second.status, second.json.mailed], [201, 201, true]);
  const mailed = await mail((each) => textOf(each).includes(second.json.url));
  assert.equal(mailed.subject, "Invitation to Muster");
  assert.match(
    textOf(mailed),
    new RegExp(`^An administrator of "Tenant ${tenant.slug}" invites you to Muster\\.`, "m"),
  );
  const listed = await ada.call("GET", "/invites");
  assert.deepEqual(listed.json.items, [expected(second.json)]);
  const accept = (url: string) =>
    newBrowser(server).call("POST", "/invites/accept", { body: { token: tokenOf(url), password: PASSWORD } });
  const opened = (url: string) => newBrowser(server).call("POST", "/invites/open", { body: { token: tokenOf(url) } });
  assert.deepEqual((await opened(second.json.url)).json, {
    tenantName: `Tenant ${tenant.slug}`,
    email: "Grace@acme.example",
    role: "viewer",
    expiresAt: second.json.expiresAt,
  });
  for (const { status, json } of [await opened(first.json.url), await opened("https://muster.example/invite#x")])
    assert.deepEqual([status, json.error], [410, "link_expired"]);
  assert.equal((await accept(first.json.url)).status, 410);
  const answers = await Promise.all([accept(second.json.url), accept(second.json.url)]);
  assert.deepEqual(answers.map((each) => each.status).sort(), [201, 410]);
  assert.equal((await opened(second.json.url)).status, 410);
  assert.equal((await ada.call("GET", "/invites")).json.total, 0);
});

test("an address is invited at most twelve times per day by all tenants, and the refusal reveals nothing about other tenants", async () => {
  const invite = (who: SignedIn) =>
    who.call("POST", "/invites", { body: { email: "victim@elsewhere.example", role: "viewer" } });
  const admins = [ada, await signIn(server, await newTenant(server))];
  for (let n = 0; n < 12; n++) assert.equal((await invite(admins[n % 2]!)).status, 201);
  const third = await signIn(server, await newTenant(server));
  for (const who of [...admins, third]) {
    const { status, json } = await invite(who);
    const message = "No further invitation can be sent to this address today. Try again tomorrow.";
    assert.deepEqual([status, json.error, json.message], [429, "rate_limited", message]);
  }
  assert.equal((await third.call("GET", "/invites")).json.total, 0);
  server.clock.advance(24 * HOUR);
  ada = await signIn(server, tenant);
  assert.equal((await invite(ada)).status, 201);
});

/** Returns an invitation as lists show it. */
function expected({ url: _, mailed: __, ...invite }: Record<string, unknown>) {
  return invite;
}

test("an invitation ends when it is withdrawn, and after 72 hours", async () => {
  const invite = async (email: string) =>
    (await ada.call("POST", "/invites", { body: { email, role: "viewer" } })).json;
  const [withdrawn, expired] = [await invite("a@example.com"), await invite("b@example.com")];
  assert.equal((await ada.call("DELETE", `/invites/${withdrawn.id}`)).status, 204);
  assert.equal((await ada.call("DELETE", `/invites/${withdrawn.id}`)).status, 404);
  server.clock.advance(72 * HOUR);
  for (const { url } of [withdrawn, expired]) {
    const body = { token: tokenOf(url), password: PASSWORD };
    assert.equal((await newBrowser(server).call("POST", "/invites/accept", { body })).status, 410);
  }
  ada = await signIn(server, tenant);
});

test("an admin's links stop when that admin is deactivated or demoted", async () => {
  const user = await signIn(server, tenant, "viewer");
  const ends = [
    (id: string) => ada.call("PATCH", `/users/${id}`, { body: { status: "deactivated" } }),
    (id: string) => ada.call("PATCH", `/users/${id}`, { body: { role: "operator" } }),
    (id: string) => ada.call("DELETE", `/users/${id}`),
  ];
  await ada.call("POST", "/session/step-up", { body: { password: PASSWORD } });
  for (const end of ends) {
    const leaving = await signIn(server, tenant);
    const email = `again-${leaving.email}`;
    const invited = await leaving.call("POST", "/invites", { body: { email, role: "admin" } });
    const reset = await leaving.call("POST", `/users/${user.userId}/reset`);
    assert.deepEqual([invited.status, reset.status], [201, 201]);
    const open = async () => (await ada.call("GET", "/invites?limit=200")).json.items.map((each: Mail) => each.id);
    assert.ok((await open()).includes(invited.json.id));
    assert.ok((await end(leaving.userId)).status < 300);
    assert.ok(!(await open()).includes(invited.json.id));
    const use = async (path: string, url: string) =>
      (await newBrowser(server).call("POST", path, { body: { token: tokenOf(url), password: OTHER } })).json.error;
    assert.equal(await use("/invites/accept", invited.json.url), "link_expired");
    assert.equal(await use("/password/reset", reset.json.url), "link_expired");
  }
  assert.equal(await status(user), 200);
});

test("inviting an admin needs a step-up, because the new one could do what the session may not", async () => {
  const admin = await signIn(server, tenant);
  server.clock.advance(10 * MINUTE);
  const invite = async (role: string) =>
    (await admin.call("POST", "/invites", { body: { email: `${role}@acme.example`, role } })).json.error;
  assert.deepEqual([await invite("admin"), await invite("operator")], ["reauthentication_required", undefined]);
  await admin.call("POST", "/session/step-up", { body: { password: PASSWORD } });
  assert.equal(await invite("admin"), undefined);
});

test("a user must change a generated password first", async () => {
  const { email, password } = await server.app.access.createUser(tenant.caller, {
    email: "eve@acme.example",
    role: "viewer",
  });
  const browser = newBrowser(server);
  const first = await browser.call("POST", "/session", { body: { email, password } });
  assert.deepEqual([first.status, first.json.passwordDue], [200, true]);
  const sessions = await browser.call("GET", "/sessions");
  assert.deepEqual(
    [sessions.status, sessions.json.error, sessions.json.detail],
    [403, "sign_in_incomplete", "password"],
  );
  const change = (newPassword: string, currentPassword = password) =>
    browser.call("PUT", "/password", { body: { currentPassword, newPassword } });
  for (const bad of [
    "short",
    "x".repeat(200),
    "passwordpassword",
    "Qwertyuiop1234",
    "123456789012",
    "abababababab",
    "P@ssw0rd123!",
  ])
    assert.deepEqual(
      [(await change(bad)).json.error, (await change(bad)).json.detail],
      ["invalid_request", "password"],
      bad,
    );
  assert.equal((await change(PASSWORD, "wrong")).json.error, "invalid_credentials");
  assert.equal((await change(password)).json.error, "invalid_request");
  assert.equal((await change(PASSWORD)).status, 204);
  assert.deepEqual(
    [(await browser.call("GET", "/sessions")).status, (await browser.call("GET", "/session")).json.passwordDue],
    [200, false],
  );
});

test("a user who changes the password loses the other sessions, keeps API keys, and gets a new token in this browser", async () => {
  const user = await signIn(server, tenant);
  const other = newBrowser(server);
  await other.call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
  const key = await server.app.access.createKey(tenant.caller, {
    user: user.email,
    name: "k",
    scopes: ["devices:read"],
  });
  const { cookie } = user;
  const body = { currentPassword: PASSWORD, newPassword: OTHER };
  assert.equal((await user.call("PUT", "/password", { body })).status, 204);
  assert.notEqual(user.cookie, cookie);
  assert.deepEqual([await status(user), (await other.call("GET", "/session")).status], [200, 401]);
  const old = await newBrowser(server).call("GET", "/session", { headers: { cookie } });
  assert.equal(old.status, 401);
  const keys = await ada.call("GET", `/users/${user.userId}/impact`);
  assert.deepEqual(
    keys.json.keys.map(({ id }: { id: string }) => id),
    [key.id],
  );
});

test("a forgotten password is reset once by a mailed link: sessions and keys end, failed sign-ins are cleared", async () => {
  const user = await signIn(server, tenant);
  await server.app.access.createKey(tenant.caller, { user: user.email, name: "k", scopes: ["devices:read"] });
  for (let i = 0; i < 10; i++)
    await newBrowser(server).call("POST", "/session", { body: { email: user.email, password: "no" } });
  for (const email of ["unknown@example.com", user.email])
    assert.equal((await newBrowser(server).call("POST", "/password/forgot", { body: { email } })).status, 204);
  const mailed = await mail(({ to, subject }) => to === user.email && /Reset/.test(subject));
  const token = tokenOf(/https:\S+/.exec(textOf(mailed))![0]);
  const reset = (password: string) => newBrowser(server).call("POST", "/password/reset", { body: { token, password } });
  assert.equal((await reset("too short")).status, 400);
  assert.equal(await status(user), 200, "until the link is used nothing changes");
  assert.deepEqual([(await reset(OTHER)).status, (await reset(PASSWORD)).status], [204, 410]);
  assert.equal(await status(user), 401);
  const signedIn = await newBrowser(server).call("POST", "/session", { body: { email: user.email, password: OTHER } });
  assert.equal(signedIn.status, 200);
  assert.deepEqual((await ada.call("GET", `/users/${user.userId}/impact`)).json.keys, []);
  assert.equal(
    sinks.mails.some(({ to }) => to === "unknown@example.com"),
    false,
  );
});

test("a reset link goes to the stored address, however the requester spells it", async () => {
  const user = await signIn(server, tenant, "viewer");
  const body = { email: user.email.toUpperCase() };
  assert.equal((await newBrowser(server).call("POST", "/password/forgot", { body })).status, 204);
  const { to } = await mail(({ to }) => to.toLowerCase() === user.email);
  assert.equal(to, user.email);
});

test("a link of an admin resets a password within 30 minutes, and creating it needs a step-up", async () => {
  const user = await signIn(server, tenant, "viewer");
  server.clock.advance(11 * MINUTE);
  const make = () => ada.call("POST", `/users/${user.userId}/reset`);
  assert.deepEqual([(await make()).status, (await make()).json.error], [403, "reauthentication_required"]);
  const stepUp = (password: string) => ada.call("POST", "/session/step-up", { body: { password } });
  assert.equal((await stepUp("wrong")).json.error, "invalid_credentials");
  const { cookie } = ada;
  assert.equal((await stepUp(PASSWORD)).status, 204);
  assert.notEqual(ada.cookie, cookie, "the token is replaced");
  assert.equal((await newBrowser(server).call("GET", "/session", { headers: { cookie } })).status, 401);
  const { json } = await make();
  server.clock.advance(30 * MINUTE);
  const body = { token: tokenOf(json.url), password: OTHER };
  assert.equal((await newBrowser(server).call("POST", "/password/reset", { body })).status, 410);
});

test("a password change that began before a reset, or before the session ended, undoes neither", async () => {
  const stolen = await signIn(server, tenant, "viewer");
  const { url } = await server.app.identity.createResetLink(tenant.caller, stolen.userId);
  const change = { currentPassword: PASSWORD, newPassword: "the thief would like this" };
  const reset = { token: tokenOf(url), password: OTHER };
  // The change hashes two passwords and the reset one, so the reset commits first.
  const [, done] = await Promise.all([
    stolen.call("PUT", "/password", { body: change }),
    newBrowser(server).call("POST", "/password/reset", { body: reset }),
  ]);
  assert.equal(done.status, 204);
  const enter = async (password: string) =>
    (await newBrowser(server).call("POST", "/session", { body: { email: stolen.email, password } })).status;
  assert.deepEqual([await status(stolen), await enter(change.newPassword), await enter(OTHER)], [401, 401, 200]);
  const left = await signIn(server, tenant, "viewer");
  const [changed] = await Promise.all([
    left.call("PUT", "/password", { body: change }),
    newBrowser(server).call("DELETE", "/session", { headers: { cookie: left.cookie } }),
  ]);
  // Signing out is faster than two hashes. A change that is even faster has started another session.
  assert.equal(await status(left), changed.status === 204 ? 200 : 401);
});

test("the reset link of a deleted user has expired", async () => {
  const user = await signIn(server, tenant, "viewer");
  const { url } = await server.app.identity.createResetLink(tenant.caller, user.userId);
  await server.app.access.deleteUser(tenant.caller, user.email);
  const body = { token: tokenOf(url), password: OTHER };
  const { status, json } = await newBrowser(server).call("POST", "/password/reset", { body });
  assert.deepEqual([status, json.error], [410, "link_expired"]);
});

test("users are listed, changed under If-Match, deactivated with their keys and deleted; their sessions end immediately", async () => {
  ada = await signIn(server, tenant);
  const user = await signIn(server, tenant);
  await server.app.access.createKey(tenant.caller, { user: user.email, name: "k", scopes: ["devices:read"] });
  const found = await ada.call(
    "GET",
    `/users?q=${encodeURIComponent(user.email.toUpperCase())}&role=admin&status=active`,
  );
  assert.deepEqual([found.json.total, found.json.items[0].id], [1, user.userId]);
  const address = `/users/${user.userId}`;
  const { headers } = await ada.call("GET", address);
  const change = (body: object, etag = String(headers.etag)) =>
    ada.call("PATCH", address, { body, headers: { "if-match": etag } });
  assert.equal((await change({ role: "operator" }, '"other"')).status, 412);
  const demoted = await change({ role: "operator" });
  assert.deepEqual([demoted.status, demoted.json.role, await status(user)], [200, "operator", 401]);
  assert.equal((await change({ role: "viewer" })).status, 412);
  assert.equal((await ada.call("GET", `${address}/impact`)).json.keys.length, 1);
  const deactivated = await ada.call("PATCH", address, { body: { status: "deactivated" } });
  assert.equal(deactivated.json.status, "deactivated");
  assert.deepEqual((await ada.call("GET", `${address}/impact`)).json.keys, []);
  const key = { "idempotency-key": "once" };
  assert.equal((await ada.call("DELETE", address, { headers: key })).status, 204);
  assert.equal((await ada.call("GET", address)).status, 404);
  const acts = await server.app.access.listAdminActs(tenant.caller, { skip: 0, limit: 3 });
  assert.deepEqual(
    acts.items.map(({ act, actor }) => [act, actor]),
    [
      ["user.delete", `user:${ada.userId}`],
      ["user.update", `user:${ada.userId}`],
      ["user.update", `user:${ada.userId}`],
    ],
  );
});

test("the last active admin stays, even if two demote each other simultaneously", async () => {
  const place = await newTenant(server);
  await server.app.access.deleteUser(place.caller, place.admin.email);
  const [one, two] = [await signIn(server, place), await signIn(server, place)];
  const demote = (by: SignedIn, whom: SignedIn) =>
    by.call("PATCH", `/users/${whom.userId}`, { body: { role: "viewer" } });
  const answers = await Promise.all([demote(one, two), demote(two, one)]);
  const won = answers.findIndex(({ status }) => status === 200);
  assert.ok(answers[1 - won]!.status === 401 || answers[1 - won]!.json.error === "last_admin", answers[1 - won]!.text);
  const left = [one, two][won]!;
  for (const body of [{ role: "viewer" }, { status: "deactivated" }])
    assert.equal((await left.call("PATCH", `/users/${left.userId}`, { body })).json.error, "last_admin");
  assert.equal((await left.call("DELETE", `/users/${left.userId}`)).json.error, "last_admin");
});

test("a user lists their own sessions and signs out one of them, or all others", async () => {
  const user = await signIn(server, tenant, "viewer");
  const others = [newBrowser(server), newBrowser(server)];
  for (const each of others) await each.call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
  const { items } = (await user.call("GET", "/sessions")).json;
  assert.deepEqual(
    items.map(({ current }: { current: boolean }) => current),
    [false, false, true],
  );
  assert.equal((await user.call("DELETE", `/sessions/${items[0].id}`)).status, 204);
  assert.equal((await ada.call("DELETE", `/sessions/${items[1].id}`)).status, 404, "of another user");
  const left = () => Promise.all(others.map(async (each) => (await each.call("GET", "/session")).status));
  assert.deepEqual(await left(), [200, 401]);
  assert.equal((await user.call("DELETE", "/sessions")).status, 204);
  assert.deepEqual([await left(), await status(user)], [[401, 401], 200]);
});
