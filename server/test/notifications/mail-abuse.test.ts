import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import type { TestTenant } from "../harness/devices.ts";
import type { Mail } from "../harness/http/sinks.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn, tokenOf } from "../harness/sign-in.ts";
import { type NotificationEnvironment, startEnvironment } from "./environment.ts";

/**
 * Abuse of a mailbox by tenants and unauthenticated clients through the mails of the service. On PostgreSQL two
 * processes take part.
 */
let environment: NotificationEnvironment;
before(async () => {
  environment = await startEnvironment();
});
after(() => environment.stop());

const HOSTILE = "Visit http://evil.example now, or www.evil.com\u202e +49 89 1234567";

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Spellings of one mailbox. */
function spellings(mailbox: string): string[] {
  const [name, domain] = mailbox.split("@");
  return [
    mailbox,
    mailbox.toUpperCase(),
    `${name}+1@${domain}`,
    `${name!.toUpperCase()}+two+2@${domain}`,
    `${name}+@${domain!.toUpperCase()}`,
  ];
}

/** Returns mails and links to a mailbox, in any spelling. */
function receivedBy(mailbox: string): { to: string }[] {
  const own = new Set(spellings(mailbox).map((each) => each.toLowerCase()));
  const { mails, links } = environment.sinks;
  return [...mails, ...links].filter(({ to }) => own.has(to.toLowerCase()));
}

/** Opens the same session at the other process. */
function atSecond(user: SignedIn): Pick<SignedIn, "call"> {
  const browser = newBrowser(environment.second);
  return {
    call: (method, path, options) =>
      browser.call(method, path, { ...options, headers: { cookie: user.cookie, ...options?.headers } }),
  };
}

async function admin(tenant?: TestTenant): Promise<SignedIn> {
  return await signIn(environment.server, tenant ?? (await environment.newTenant()));
}

const invite = (who: Pick<SignedIn, "call">, email: string, role = "viewer") =>
  who.call("POST", "/invites", { body: { email, role } });

async function mailTo(to: string, is: (mail: Mail) => boolean = () => true): Promise<Mail> {
  const { sinks } = environment;
  const wanted = (mail: Mail) => mail.to.toLowerCase() === to.toLowerCase() && is(mail);
  await sinks.until(() => sinks.mails.some(wanted));
  return sinks.mails.find(wanted)!;
}

/** Decodes the quoted-printable sequences in the mails of this file. */
const textOf = ({ text }: Mail) => text.replaceAll("=\r\n", "").replaceAll("=E2=80=A6", "…");

/**
 * Asserts that a mail contains no text of the tenant that a mail client could turn into a link, and only the service's
 * links.
 */
function assertHarmless(mail: Mail): void {
  const text = textOf(mail);
  assert.doesNotMatch(`${mail.headers}${text}`, /evil\.|\/\/evil|www\.|1234567|\u202e|=E2=80=AE/i);
  assert.match(text, /"Visit http evil example now, or www evil com …"/);
  for (const [url] of text.matchAll(/\bhttps?:\/\/\S+/g)) assert.equal(new URL(url).hostname, "localhost");
  assert.doesNotMatch(mail.headers, /text\/html/i);
}

test("the name of a tenant creates no link in an invitation, and its subject is fixed", async () => {
  const tenant = await environment.newTenant();
  const ada = await admin(tenant);
  const renamed = await ada.call("PATCH", "/tenant", { body: { name: HOSTILE } });
  assert.equal(renamed.status, 200, renamed.text);
  const taken = (await signIn(environment.server, await environment.newTenant(), "viewer")).email;
  for (const email of ["fresh@elsewhere.example", taken]) {
    assert.equal((await invite(ada, email)).status, 201);
    const mail = await mailTo(email, (each) => /evil/.test(textOf(each)));
    assert.equal(mail.subject, "Invitation to Muster");
    assertHarmless(mail);
  }
});

test("of sixty simultaneous invitations of one mailbox in five spellings, by three tenants over two processes, twelve are sent", async () => {
  const mailbox = "victim@elsewhere.example";
  const admins = [await admin(), await admin(), await admin()];
  const everywhere = admins.flatMap((each) => [each, atSecond(each)]);
  const names = spellings(mailbox);
  const answers = await Promise.all(times(60, (at) => invite(everywhere[at % 6]!, names[at % 5]!)));
  const counts = Map.groupBy(answers, ({ status }) => status);
  assert.deepEqual([counts.get(201)?.length, counts.get(429)?.length], [12, 48]);
  for (const { json } of counts.get(429)!)
    assert.equal(json.message, "No further invitation can be sent to this address today. Try again tomorrow.");
  await environment.sinks.until(() => receivedBy(mailbox).length >= 12);
  assert.equal((await invite(admins[0]!, "neighbour@elsewhere.example")).status, 201);
  await mailTo("neighbour@elsewhere.example");
  assert.equal(receivedBy(mailbox).length, 12);
});

test("a mailbox receives at most six reset links per hour over all its accounts, whether users or admins request them", async () => {
  const { server, sinks, second, newTenant } = environment;
  const mailbox = "many@elsewhere.example";
  const tenants = [await newTenant(), await newTenant()];
  const emails = times(6, (at) => `many+${at}@elsewhere.example`);
  const users = await Promise.all(
    emails.map((email, at) => server.app.access.createUser(tenants[at % 2]!.caller, { email, role: "viewer" })),
  );
  const resets = () => sinks.mails.filter(({ to }) => emails.includes(to));
  const forgot = (email: string, at: number) =>
    newBrowser([server, second][at % 2]!).call("POST", "/password/forgot", { body: { email } });
  // Addresses without an account receive no mail, and use up nothing.
  for (const [at, email] of [mailbox, `${mailbox.toUpperCase()}`, "many+x@elsewhere.example"].entries())
    assert.equal((await forgot(email, at)).status, 204);
  const answers = await Promise.all(times(12, (at) => forgot(emails[at % 6]!, at)));
  assert.ok(answers.every(({ status }) => status === 204));
  await sinks.until(() => resets().length >= 6);
  const ada = await admin(tenants[0]);
  const made = await ada.call("POST", `/users/${users[0]!.id}/reset`);
  assert.deepEqual([made.status, made.json.mailed], [201, false], "the answer says that it is handed over");
  const body = { token: tokenOf(made.json.url), password: PASSWORD };
  assert.equal((await newBrowser(server).call("POST", "/password/reset", { body })).status, 204);
  assert.equal(resets().length, 6);
  server.clock.advance(HOUR);
  await ada.call("POST", "/session/step-up", { body: { password: PASSWORD } });
  assert.equal((await ada.call("POST", `/users/${users[2]!.id}/reset`)).json.mailed, true);
  await sinks.until(() => resets().length === 7);
});

test("of forty confirmation links to one mailbox in five spellings, from four tenants over two processes, twelve are sent per day", async () => {
  const { server, sinks, newTenant, pass } = environment;
  const mailbox = "room@elsewhere.example";
  for (const tenant of await Promise.all(times(4, newTenant))) {
    const channels = spellings(mailbox).map((target) => ({ type: "email" as const, target }));
    for (let group = 0; group < 2; group++)
      await server.app.groups.createGroup(tenant.caller, { name: `Hall ${group}`, channels });
  }
  await pass(0);
  assert.equal(receivedBy(mailbox).length, 12);
  await pass(HOUR);
  assert.equal(receivedBy(mailbox).length, 12);
  await pass(DAY);
  assert.ok(receivedBy(mailbox).length > 12, "the others have waited");
  assert.ok(sinks.links.length > 0);
});

test("the mail that asks to confirm a channel shows the tenant's name without links, and no address that the tenant chose", async () => {
  const { server, sinks, newTenant, pass } = environment;
  const tenant = await newTenant();
  const ada = await admin(tenant);
  await ada.call("PATCH", "/tenant", { body: { name: HOSTILE } });
  await server.app.access.createUser(tenant.caller, { email: "see.evil.com@evil.com", role: "viewer" });
  await ada.call("POST", "/notifications/channels", { body: { type: "email", target: "own@elsewhere.example" } });
  const channels = [{ type: "email" as const, target: "group@elsewhere.example" }];
  await server.app.groups.createGroup(tenant.caller, { name: "http://evil.com", channels });
  const raw = sinks.confirmations;
  await pass(0);
  for (const to of ["own@elsewhere.example", "group@elsewhere.example"]) {
    await sinks.until(() => raw.some((mail) => mail.to === to));
    const mail = raw.find((each) => each.to === to)!;
    assert.equal(mail.subject, "[Muster] Confirm this address for notifications");
    assertHarmless(mail);
    assert.ok(!textOf(mail).includes(ada.email));
  }
});

test("inviting an address with an account is answered, listed, opened and withdrawn as usual; its holder receives a mail without a link", async () => {
  const { server, newTenant } = environment;
  const [home, other] = [await newTenant(), await newTenant()];
  const colleague = await signIn(server, home, "viewer");
  const foreigner = await signIn(server, other, "viewer");
  const deactivated = await signIn(server, other, "viewer");
  await server.app.access.deactivateUser(other.caller, deactivated.email);
  const ada = await admin(home);
  const answerTo = async (email: string) => {
    const { status, json, headers } = await invite(ada, email);
    const token = tokenOf(json.url);
    const opened = await newBrowser(server).call("POST", "/invites/open", { body: { token } });
    const listed = (await ada.call("GET", "/invites")).json.items.find(({ id }: { id: string }) => id === json.id);
    const withdrawn = await ada.call("DELETE", `/invites/${json.id}`);
    const gone = await newBrowser(server).call("POST", "/invites/open", { body: { token } });
    const shape = (value: object) => JSON.stringify(value).replaceAll(email, "…").replaceAll(json.id, "id");
    return {
      status,
      answer: shape({ ...json, url: tokenOf(json.url).length }),
      headers: Object.keys(headers).sort(),
      opened: [opened.status, shape(opened.json)],
      listed: shape(listed),
      ended: [withdrawn.status, gone.status],
    };
  };
  const expected = await answerTo("nobody@elsewhere.example");
  assert.equal(expected.status, 201);
  for (const { email } of [colleague, foreigner, deactivated]) {
    const found = await answerTo(email.toUpperCase());
    assert.deepEqual(found, expected);
    const mail = await mailTo(email, (each) => /has an account here already/.test(textOf(each)));
    assert.doesNotMatch(textOf(mail), /\/invite#/);
  }
  assert.equal((await colleague.call("GET", "/session")).status, 200, "nothing happens to the account");
});

test("an invitation's link creates no second account for an address that has one", async () => {
  const { server, newTenant } = environment;
  const user = await signIn(server, await newTenant(), "viewer");
  const { json } = await invite(await admin(), user.email);
  const body = { token: tokenOf(json.url), password: "another long password of mine" };
  const accepted = await newBrowser(server).call("POST", "/invites/accept", { body });
  assert.deepEqual([accepted.status, accepted.json.error], [409, "already_exists"]);
  const enter = (password: string) =>
    newBrowser(server).call("POST", "/session", { body: { email: user.email, password } });
  assert.deepEqual([(await enter(PASSWORD)).status, (await enter(body.password)).status], [200, 401]);
});

test("addresses of users and channels follow one grammar: quoted text, comments, misplaced dots and IP addresses are refused", async () => {
  const ada = await admin();
  for (const email of [
    '"victim"@elsewhere.example',
    "victim(work)@elsewhere.example",
    "victim@elsewhere.example.",
    ".victim@elsewhere.example",
    "vic..tim@elsewhere.example",
    "victim@[192.0.2.1]",
    "victim@192.0.2.1",
    "victim@elsewhere.example\r\nBcc: eve@evil.example",
    "v\u0131ctim@elsewhere.example",
    "victim\u200b@elsewhere.example",
  ]) {
    const invited = await invite(ada, email);
    assert.deepEqual([invited.status, invited.json.error], [400, "invalid_request"], email);
    const named = await ada.call("POST", "/notifications/channels", { body: { type: "email", target: email } });
    assert.deepEqual([named.status, named.json.error, named.json.detail], [400, "invalid_request", "target"], email);
  }
});

test("a user signs in with every spelling of an internationalized address, and a tag makes another user", async () => {
  const { server, newTenant } = environment;
  const tenant = await newTenant();
  const { access } = server.app;
  const create = (email: string) => access.createUser(tenant.caller, { email, role: "viewer" });
  const { email, password } = await create("Ida@München.example");
  assert.equal(email, "Ida@xn--mnchen-3ya.example");
  for (const typed of ["ida@münchen.example", "IDA@MÜNCHEN.EXAMPLE", " ida@xn--mnchen-3ya.example "]) {
    const { status } = await newBrowser(server).call("POST", "/session", { body: { email: typed, password } });
    assert.equal(status, 200, typed);
    await assert.rejects(create(typed), { code: "already_exists" });
  }
  const tagged = await create("ida+second@münchen.example");
  const { status, json } = await newBrowser(server).call("POST", "/session", {
    body: { email: tagged.email, password: tagged.password },
  });
  assert.deepEqual([status, json.user.id], [200, tagged.id]);
  const wrong = await newBrowser(server).call("POST", "/session", { body: { email, password: tagged.password } });
  assert.equal(wrong.status, 401);
});
