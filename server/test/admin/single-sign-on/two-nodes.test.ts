import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { SECOND } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { eventually } from "../../harness/eventually.ts";
import { isReady, openStream } from "../../harness/http/event-streams.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, signIn } from "../../harness/sign-in.ts";
import { type Browser, type Company, comeIn, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  CLIENT,
  type ForeignProvider,
  providerBrowser,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

/** Two nodes on one database, behind one address for browsers. */
let [one, two]: TestServer[] = [];
let provider: ForeignProvider;
let company: Company;
let logoutUri: string;

/** The time within which a deactivation or a logout must have ended everything on every node. */
const WITHIN_MS = 5_000;

if (onPostgres) {
  before(async () => {
    one = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
    const env = { MUSTER_OIDC_ALLOW_PRIVATE: "true", MUSTER_BASE_URL: one.httpUrl };
    two = await startServer({ share: one, env });
    provider = await startForeignProvider({ trusts: one.ca });
    company = await newCompany(one, provider, {
      firstSignIn: "mapped",
      mapping: {
        claim: "groups",
        rules: [
          { value: "it", role: "admin", groupIds: [] },
          { value: "ops", role: "operator", groupIds: [] },
        ],
      },
    });
    ({ logoutUri } = (await company.admin.call("GET", "/single-sign-on")).json);
  });
  after(async () => {
    await provider?.stop();
    await two?.stop();
    await one?.stop();
  });

  let counted = 0;
  const person = (groups = ["ops"]): string => {
    const login = `person-${++counted}`;
    provider.people[login] = { email: `${login}@${company.tenant.slug}.example`, groups };
    return login;
  };

  /** The same browser, whose requests reach the other node. */
  const movedTo = (node: TestServer, browser: Browser): Browser => {
    const moved = newBrowser({ httpUrl: node.httpUrl, ca: node.ca });
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const origin = { origin: one!.httpUrl };
    return { ...moved, call: (method, path, more = {}) => moved.call(method, path, { ...more, headers: origin }) };
  };

  const begun = async () => {
    const browser = newBrowser(one!);
    const body = { tenant: company.tenant.slug };
    const { json } = await browser.call("POST", "/sign-in/oidc/start", { body });
    return { browser, answered: await providerBrowser().goTo(json.url, person()) };
  };

  const status = async (browser: Browser) => (await browser.call("GET", "/session")).status;

  const followed = async (browser: Browser) => {
    const stream = await openStream(two!, "/api/admin/events", { cookie: browser.cookie() });
    await stream.next(isReady);
    return stream;
  };

  test("a sign-in that began on one node ends on the other", async () => {
    const { browser, answered } = await begun();
    const moved = movedTo(two!, browser);
    const answer = await moved.call("POST", "/sign-in/oidc/callback", { body: answered });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([await status(moved), await status(movedTo(one!, moved))], [200, 200]);
  });

  test("an answer that is brought to both nodes at once opens one session", async () => {
    for (let round = 0; round < 5; round++) {
      const { browser, answered } = await begun();
      const nodes = [one!, two!, one!, two!].map((node) => movedTo(node, browser));
      const answers = await Promise.all(
        nodes.map((node) => node.call("POST", "/sign-in/oidc/callback", { body: answered })),
      );
      assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 410, 410, 410]);
    }
  });

  test("a person who comes in for the first time on both nodes at once is one user", async () => {
    const login = person();
    const starts = await Promise.all([one!, two!].map((node) => comeInAt(node, login)));
    assert.deepEqual(new Set(starts.map(({ json }) => json.user?.id)).size, 1, starts.map(({ text }) => text).join());
  });

  const comeInAt = async (node: TestServer, login: string) => {
    const browser = movedTo(node, newBrowser(one!));
    const body = { tenant: company.tenant.slug };
    const { json } = await browser.call("POST", "/sign-in/oidc/start", { body });
    const answered = await providerBrowser().goTo(json.url, login);
    return await browser.call("POST", "/sign-in/oidc/callback", { body: answered });
  };

  test("a deactivation by SCIM on one node ends sessions, streams and keys on the other within 5 s", async () => {
    const { json, browser } = await comeIn(one!, company, person(["it"]));
    const there = movedTo(two!, browser);
    const stream = await followed(there);
    const { caller } = company.tenant;
    const { email, id } = json.user;
    const { key } = await one!.app.access.createKey(caller, { user: email, name: "k", scopes: ["devices:read"] });
    const { token } = await one!.app.scim.createScimToken(caller);
    const use = async () => (await https(`${two!.httpUrl}/api/v1/devices`, keyed(key))).status;
    assert.deepEqual([await status(there), await use()], [200, 200]);
    const since = performance.now();
    const deactivated = await https(`${one!.httpUrl}/scim/v2/Users/${id}`, {
      method: "PATCH",
      ca: one!.ca,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      body: { Operations: [{ op: "replace", path: "active", value: false }] },
    });
    assert.equal(deactivated.status, 200, deactivated.text);
    assert.equal(await status(there), 401);
    assert.equal(await eventually(async () => (await use()) === 401), true);
    await stream.ended;
    assert.ok(performance.now() - since < WITHIN_MS, `${performance.now() - since} ms`);
  });

  const keyed = (key: string) => ({ ca: two!.ca, headers: { "x-api-key": key } });

  const report = async (node: TestServer, token: string) =>
    await https(node.httpUrl + new URL(logoutUri).pathname, {
      ca: node.ca,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });

  const logoutToken = async (sub: string) => {
    const iat = Math.floor(one!.clock.now().getTime() / SECOND);
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    return await provider.sign({ iss: provider.issuer, aud: CLIENT.id, iat, jti: randomUUID(), events, sub });
  };

  test("a logout at the provider, reported to one node, ends session and stream on the other within 5 s", async () => {
    const login = person();
    const { browser } = await comeIn(one!, company, login);
    const there = movedTo(two!, browser);
    const stream = await followed(there);
    const since = performance.now();
    assert.equal((await report(one!, await logoutToken(login))).status, 200);
    assert.equal(await status(there), 401);
    await stream.ended;
    assert.ok(performance.now() - since < WITHIN_MS, `${performance.now() - since} ms`);
  });

  test("a logout token that is brought to both nodes at once counts once", async () => {
    const login = person();
    await comeIn(one!, company, login);
    const token = await logoutToken(login);
    const answers = await Promise.all([one!, two!, one!, two!].map((node) => report(node, token)));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400, 400, 400]);
  });

  test("a logout that races with the sign-in which it concerns leaves no session", async () => {
    for (let round = 0; round < 8; round++) {
      const login = person();
      const browser = newBrowser(one!);
      const body = { tenant: company.tenant.slug };
      const { json } = await browser.call("POST", "/sign-in/oidc/start", { body });
      const answered = await providerBrowser().goTo(json.url, login);
      one!.clock.advance(SECOND);
      const there = movedTo(two!, browser);
      const token = await logoutToken(login);
      const [signedIn, reported] = await Promise.all([
        there.call("POST", "/sign-in/oidc/callback", { body: answered }),
        report(one!, token),
      ]);
      assert.equal(reported.status, 200);
      assert.ok([200, 410].includes(signedIn.status), signedIn.text);
      assert.equal(await status(there), 401, `round ${round}: ${signedIn.status}`);
    }
  });

  test("a provider that is switched on ends a session that a password begins meanwhile", async () => {
    const own = await newCompany(one!, provider);
    provider.people.boss = { email: own.admin.email, email_verified: true };
    assert.equal((await comeIn(one!, own, "boss")).status, 200);
    assert.equal((await own.save({ enabled: false })).status, 200);
    const user = await signIn(one!, own.tenant, "operator");
    const db = one!.app.database.db;
    const waiting = async (most: number) => {
      const [row] = await runSql<{ n: number }>(db, "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted");
      return row!.n >= most;
    };
    const browser = movedTo(two!, newBrowser(one!));
    // The audit, which both write last, holds them up.
    const running = await db.transaction().execute(async (tx) => {
      await runSql(tx, "LOCK TABLE admin_audit IN SHARE MODE");
      const body = { email: user.email, password: PASSWORD };
      const signingIn = browser.call("POST", "/session", { body });
      await eventually(() => waiting(1));
      const saving = own.save({ enabled: true, rule: "required" });
      await eventually(() => waiting(2));
      return [signingIn, saving];
    });
    assert.deepEqual(
      (await Promise.all(running)).map((answer) => answer.status),
      [200, 200],
    );
    assert.equal(await status(browser), 401);
  });
}
