import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, signIn } from "../../harness/sign-in.ts";
import { type Company, comeIn, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  CLIENT,
  type ForeignProvider,
  providerBrowser,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

let server: TestServer;
let provider: ForeignProvider;

before(async () => {
  server = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
  provider = await startForeignProvider();
});
after(async () => {
  await provider?.stop();
  await server.stop();
});

const MAPPED = {
  firstSignIn: "mapped",
  mapping: {
    claim: "groups",
    rules: [
      { value: "it", role: "admin", groupIds: [] as string[] },
      { value: "ops", role: "operator", groupIds: [] as string[] },
      { value: "all", role: "viewer", groupIds: [] as string[] },
    ],
  },
};

let counted = 0;
/** Adds a person to the provider; returns the name with which they sign in. */
function person(company: Company, more: Record<string, unknown> = {}): string {
  const login = `person-${++counted}`;
  provider.people[login] = { email: `${login}@${company.tenant.slug}.example`, email_verified: true, ...more };
  return login;
}

test("a provider is tested with a sign-in before it can be switched on, and again after a change", async () => {
  const company = await newCompany(server, provider);
  const other = await company.save({ scopes: ["openid", "email"] });
  assert.deepEqual([other.status, other.json.error], [409, "provider_untested"]);
  assert.equal((await company.save({ scopes: ["openid", "email"], enabled: false })).json.provider.testedAt, null);
  assert.equal((await company.save({ enabled: true })).json.error, "provider_untested");
  const login = person(company, { groups: ["ops"] });
  await company.save(MAPPED);
  const tested = await company.tryOut(login);
  const { email } = provider.people[login]!;
  assert.deepEqual(tested.json, { subject: login, email, emailVerified: true, values: null, role: null });
  assert.equal((await company.save({ enabled: true })).status, 200);
});

test("the client secret is never shown, and does not go to another issuer", async () => {
  const company = await newCompany(server, provider);
  const shown = await company.admin.call("GET", "/single-sign-on");
  assert.ok(!shown.text.includes(CLIENT.secret));
  const moved = await company.save({ issuer: "https://elsewhere.example", enabled: false });
  assert.deepEqual([moved.status, moved.json.detail], [400, "clientSecret"]);
  assert.ok(!server.logs.some((line) => line.includes(CLIENT.secret)));
});

test("how to sign in depends on the domain alone", async () => {
  const { tenant, admin } = await newCompany(server, provider);
  const browser = newBrowser(server);
  const ask = async (body: object) => (await browser.call("POST", "/sign-in/methods", { body })).json;
  const offered = { password: true, provider: { tenant: tenant.slug, name: `Tenant ${tenant.slug}` } };
  for (const email of [`ada@${tenant.slug}.example`, `nobody@${tenant.slug.toUpperCase()}.EXAMPLE`])
    assert.deepEqual(await ask({ email }), offered);
  assert.deepEqual(await ask({ tenant: tenant.slug }), offered);
  for (const body of [{ email: admin.email }, { tenant: "unknown" }, { email: "x" }, {}])
    assert.deepEqual(await ask(body), { password: true, provider: null });
});

test("a first sign-in links the user with the verified address; afterwards issuer and subject identify", async () => {
  const company = await newCompany(server, provider);
  const user = await signIn(server, company.tenant, "operator");
  const login = person(company, { email: user.email.toUpperCase() });
  const first = await comeIn(server, company, login);
  assert.deepEqual(
    [first.status, first.json.user?.id, first.json.user?.role],
    [200, user.userId, "operator"],
    first.text,
  );
  assert.equal((await first.browser.call("GET", "/session")).status, 200);

  provider.people[login] = { email: "moved@elsewhere.example", email_verified: false };
  assert.equal((await comeIn(server, company, login)).json.user.id, user.userId);
  const thief = person(company, { email: user.email });
  const refused = await comeIn(server, company, thief);
  assert.deepEqual(
    [refused.status, refused.json.error, refused.json.detail],
    [403, "sign_in_refused", "other_account"],
  );
});

test("an address that the provider has not verified opens no account that exists", async () => {
  const company = await newCompany(server, provider);
  const user = await signIn(server, company.tenant);
  for (const verified of [false, undefined, "true"]) {
    const login = person(company, { email: user.email, email_verified: verified });
    assert.equal((await comeIn(server, company, login)).json.detail, "unverified_email", String(verified));
  }
  const login = person(company, { email: undefined });
  assert.equal((await comeIn(server, company, login)).json.detail, "no_email");
});

test("an address of the token is not verified by what UserInfo says about another one", async () => {
  const company = await newCompany(server, provider);
  const user = await signIn(server, company.tenant);
  const own = person(company);
  provider.state.fault = ({ claims }) => void Object.assign(claims, { email: user.email });
  provider.state.told = { email: provider.people[own]!.email, email_verified: true };
  try {
    assert.equal((await comeIn(server, company, own)).json.detail, "unverified_email");
    provider.state.fault = ({ claims }) => void Object.assign(claims, { email_verified: true });
    provider.state.told = { email: user.email, email_verified: false };
    assert.equal((await comeIn(server, company, own)).json.detail, "unverified_email");
    provider.state.told = { email: user.email, email_verified: true };
    assert.equal((await comeIn(server, company, own)).json.user?.id, user.userId);
  } finally {
    provider.state.fault = undefined;
    provider.state.told = undefined;
  }
});

test("refusals are recorded in the tenant's own audit with their cause, and never in another tenant's", async () => {
  const [company, other] = [await newCompany(server, provider), await newCompany(server, provider)];
  const [user, stranger] = [await signIn(server, company.tenant), await signIn(server, other.tenant)];
  const causes = async ({ tenant }: typeof company) => {
    await server.app.identity.recordFailedSignIns();
    const { items } = await server.app.access.listAdminActs(tenant.caller, {
      act: "session.refuse",
      skip: 0,
      limit: 9,
    });
    return items.map(({ target, after }) => [target, (after as { cause: string }).cause]).reverse();
  };
  await comeIn(server, company, person(company, { email: user.email, email_verified: false }));
  await comeIn(server, company, person(company, { email: stranger.email }));
  await comeIn(server, company, person(company, { email: "a\0b@example.com" }));
  assert.deepEqual(await causes(company), [
    [user.userId, "provider:unverified_email"],
    ["unknown", "provider:no_account"],
  ]);
  await comeIn(server, company, person(company, { email: company.admin.email }));
  await company.save({ rule: "required" });
  await newBrowser(server).call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
  assert.deepEqual((await causes(company)).at(-1), [user.userId, "sso_required"]);
  assert.deepEqual(await causes(other), []);
});

test("a provider that calls an address unverified in a text creates no account", async () => {
  const company = await newCompany(server, provider, MAPPED);
  const login = person(company, { email_verified: "false", groups: ["ops"] });
  assert.equal((await comeIn(server, company, login)).json.detail, "unverified_email");
});

test("a provider opens no account of another tenant, and none that runs the installation", async () => {
  const company = await newCompany(server, provider);
  const stranger = await signIn(server, (await newCompany(server, provider)).tenant);
  const unknown = person(company, { email: "nobody@elsewhere.example" });
  for (const firstSignIn of ["refused", "invited", "mapped"]) {
    const mapping = firstSignIn === "mapped" ? { claim: "groups", rules: [{ values: ["ops"], role: "viewer" }] } : null;
    await company.save({ firstSignIn, mapping });
    const [theirs, nobodys] = [
      await comeIn(server, company, person(company, { email: stranger.email })),
      await comeIn(server, company, unknown),
    ];
    assert.equal(theirs.status, nobodys.status);
    assert.equal(theirs.json.detail, nobodys.json.detail, `${firstSignIn}: nobody learns who has an account`);
  }
  const own = `ada@${company.tenant.slug}.example`;
  await server.app.access.createUser((await newCompany(server, provider)).tenant.caller, {
    email: own,
    role: "viewer",
  });
  assert.equal((await comeIn(server, company, person(company, { email: own }))).json.detail, "other_tenant");
  await company.save({ firstSignIn: "refused", mapping: null });
  const operator = await signIn(server, company.tenant);
  await server.app.access.setPlatformUser(company.tenant.caller, operator.email, true);
  const login = person(company, { email: operator.email });
  assert.equal((await comeIn(server, company, login)).json.detail, "runs_installation");
});

test("a person without an account is refused, needs an invitation, or gets an account by the mapping", async () => {
  const company = await newCompany(server, provider);
  const login = person(company, { groups: ["all", "ops"] });
  assert.equal((await comeIn(server, company, login)).json.detail, "no_account");

  await company.save({ firstSignIn: "invited" });
  assert.equal((await comeIn(server, company, login)).json.detail, "not_invited");
  const email = String(provider.people[login]!.email);
  const invite = { email, role: "viewer" };
  assert.equal((await company.admin.call("POST", "/invites", { body: invite })).status, 201);
  assert.equal((await comeIn(server, company, login)).json.user.role, "viewer");
  assert.equal((await company.admin.call("GET", "/invites")).json.total, 0);

  await company.save(MAPPED);
  assert.equal((await comeIn(server, company, person(company, { groups: ["ops"] }))).json.user.role, "operator");
  assert.equal((await comeIn(server, company, person(company, { groups: ["else"] }))).json.detail, "no_role");
  const foreign = person(company, { email: "x@elsewhere.example", groups: ["ops"] });
  assert.equal((await comeIn(server, company, foreign)).json.detail, "foreign_domain");
});

test("every sign-in applies the mapping to role and groups, and the last admin keeps the role", async () => {
  const company = await newCompany(server, provider);
  const { caller } = company.tenant;
  const groups = await Promise.all(["a", "b"].map((name) => server.app.groups.createGroup(caller, { name })));
  const [a, b] = groups.map(({ id }) => id) as [string, string];
  const rules = [
    { value: "it", role: "admin", groupIds: [a] },
    { value: "ops", role: "operator", groupIds: [b] },
  ];
  await company.save({ firstSignIn: "mapped", mapping: { claim: "groups", rules } });
  const login = person(company, { groups: ["it", "ops"] });
  const { json } = await comeIn(server, company, login);
  const membersOf = async (id: string) => (await server.app.groups.getGroup(caller, id)).memberUserIds;
  assert.equal(json.user.role, "admin");
  assert.deepEqual([await membersOf(a), await membersOf(b)], [[json.user.id], [json.user.id]]);

  provider.people[login]!.groups = ["ops"];
  assert.equal((await comeIn(server, company, login)).json.user.role, "operator");
  assert.deepEqual([await membersOf(a), await membersOf(b)], [[], [json.user.id]]);

  provider.people[login]!.groups = ["it"];
  assert.equal((await comeIn(server, company, login)).json.user.role, "admin");
  const { items } = (await company.admin.call("GET", "/users")).json;
  for (const { id, role } of items)
    if (role === "admin" && id !== json.user.id && id !== company.admin.userId)
      await server.app.access.removeUser(caller, id);
  await server.app.access.removeUser(caller, company.admin.userId);
  provider.people[login]!.groups = ["ops"];
  assert.equal((await comeIn(server, company, login)).json.user.role, "admin");
  provider.people[login]!.groups = [];
  assert.equal((await comeIn(server, company, login)).json.detail, "no_role");
});

test("a deactivated user does not come in over the provider", async () => {
  const company = await newCompany(server, provider, MAPPED);
  const login = person(company, { groups: ["ops"] });
  const { json, browser } = await comeIn(server, company, login);
  await server.app.access.changeUser(company.tenant.caller, json.user.id, { status: "deactivated" });
  assert.equal((await browser.call("GET", "/session")).status, 401);
  assert.equal((await comeIn(server, company, login)).json.detail, "deactivated");
});

test("a user who was created by the provider has no password to guess, and none to reset unasked", async () => {
  const company = await newCompany(server, provider, MAPPED);
  const { json } = await comeIn(server, company, person(company, { groups: ["ops"] }));
  const { email } = json.user;
  for (const password of [PASSWORD, "x"])
    assert.equal((await newBrowser(server).call("POST", "/session", { body: { email, password } })).status, 401);
});

test("a person who is signed in at the provider already is not asked there again", async () => {
  const company = await newCompany(server, provider, MAPPED);
  const at = providerBrowser();
  const login = person(company, { groups: ["ops"] });
  const first = await comeIn(server, company, login, { at });
  assert.equal((await comeIn(server, company, "nobody", { at })).json.user.id, first.json.user.id);
});
