import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { admitsUser, ROLES, type Role } from "../../src/access/access.ts";
import { adminRoutes } from "../../src/api/admin-routes.ts";
import { operationsText } from "../../src/api/openapi/operations.ts";
import { type AdminRoute, isAdmittedWithout } from "../../src/api/route.ts";
import type { Missing } from "../../src/identity/identity.ts";
import { MINUTE, SECOND } from "../../src/lib/clock.ts";
import { addRecords, addStaff, NOWHERE, type Staff } from "../access/authorization/records.ts";
import { rowsNaming } from "../harness/database/rows.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { turnOnFactor } from "../harness/second-factor.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../harness/sign-in.ts";

/**
 * Calls every operation of the admin API by its route value: with every role, without a session, from a foreign origin,
 * with another tenant's ids and without a step-up. A new route is included automatically.
 */
let server: TestServer;
let users: Record<Role, SignedIn>;
let theirs: Staff;

before(async () => {
  server = await startServer();
  const [ours, other] = [await addStaff(server), await addStaff(server)];
  theirs = other;
  const [admin, operator, viewer] = [
    await signIn(server, ours, "admin"),
    await signIn(server, ours, "operator"),
    await signIn(server, ours, "viewer"),
  ];
  users = { admin, operator, viewer };
});
after(() => server.stop());

/** Operations that end or replace the session that calls them, or that would fail sign-ins. */
const OWN_SESSION = new Set(["signOut", "changePassword", "stepUp", "endOtherSessions"]);

const addressOf = ({ path }: AdminRoute, id: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(id));

let sent = 0;

/**
 * Calls `route` with its example. Now and then it advances the clock to avoid the rate limit, and verifies the user
 * again.
 */
async function call(user: SignedIn, route: AdminRoute, id = "no-such-record"): Promise<HttpAnswer> {
  if (++sent % 200 === 0) server.clock.advance(MINUTE);
  const path = addressOf(route, id).replace("/api/admin", "");
  return await user.call(route.method, path, route.examples.body === undefined ? {} : { body: route.examples.body });
}

async function stepUpAll(): Promise<void> {
  for (const user of Object.values(users))
    assert.equal((await user.call("POST", "/session/step-up", { body: { password: PASSWORD } })).status, 204);
}

/** Streams have another kind of answer, which the tests of their routes check. */
const isStream = ({ operationId }: AdminRoute) => operationId === "followEvents" || /stream|events/i.test(operationId);

const answering = adminRoutes.filter((route) => !isStream(route));

test("without a session, every operation that needs one answers 401, whatever the cookie", async () => {
  for (const route of adminRoutes.filter(({ by }) => by !== "anyone")) {
    // It refills the budget of the address for requests that do not authenticate.
    server.clock.advance(SECOND);
    for (const cookie of [undefined, "__Host-muster=x", `__Host-muster=${"A".repeat(43)}`]) {
      const { status, json } = await https(server.httpUrl + addressOf(route, "x"), {
        ca: server.ca,
        method: route.method,
        headers: { "sec-fetch-site": "same-origin", ...(cookie ? { cookie } : {}) },
      });
      assert.deepEqual([status, json.error], [401, "session_required"], route.operationId);
    }
  }
});

test("every operation refuses a page of another origin, before any other check", async () => {
  const { cookie } = users.admin;
  for (const route of adminRoutes) {
    server.clock.advance(SECOND);
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const { status, json } = await https(server.httpUrl + addressOf(route, "x"), {
        ca: server.ca,
        method: route.method,
        headers: { ...headers, cookie },
        ...(route.examples.body === undefined ? {} : { body: route.examples.body }),
      });
      assert.deepEqual([status, json.error], [403, "foreign_origin"], route.operationId);
    }
  }
});

test("each operation refuses exactly the roles that its use case does not admit, before it reads the input", async () => {
  await stepUpAll();
  for (const route of answering.filter(({ operationId }) => !OWN_SESSION.has(operationId))) {
    for (const role of ROLES) {
      const { status, json, text } = await call(users[role], route);
      const admitted = route.by !== "user" || admitsUser(route.useCase.may, { role });
      const refused = status === 403 && json.error === "insufficient_role";
      assert.equal(refused, !admitted, `${route.operationId} by ${role}: ${text}`);
      if (refused) assert.equal(json.middleware, "authorization", route.operationId);
      assert.notEqual(status, 500, `${route.operationId} by ${role}: ${text}`);
    }
  }
});

test("a session lists exactly the operations that it may call", async () => {
  for (const role of ROLES) {
    const { operations } = (await users[role].call("GET", "/session")).json;
    const admitted = adminRoutes.filter((route) => route.by !== "user" || admitsUser(route.useCase.may, { role }));
    assert.deepEqual(
      operations,
      admitted.map(({ operationId }) => operationId),
      role,
    );
  }
});

test("another tenant's ids in the path are answered like unknown ids, and nothing of that tenant changes", async () => {
  await stepUpAll();
  const foreign = await addRecords(server, theirs);
  const marks = [theirs.caller.tenantId, ...Object.values(foreign)];
  // The service pages for the anomaly by itself.
  await server.app.notifications.runDue();
  const before = await rowsNaming(server.app.database, marks);
  const kinds = Object.keys(foreign) as (keyof typeof foreign)[];
  for (const route of answering.filter((each) => each.by === "user" && each.path.includes("{"))) {
    for (const kind of kinds) {
      const [asked, unknown] = [
        await call(users.admin, route, foreign[kind]),
        await call(users.admin, route, NOWHERE[kind]),
      ];
      const what = `${route.operationId} with their ${kind}: ${asked.text}`;
      assert.deepEqual([asked.status, asked.json?.error], [unknown.status, unknown.json?.error], what);
      for (const mark of marks)
        if (mark !== foreign[kind]) assert.ok(!asked.text.includes(mark), `${what} shows ${mark}`);
    }
  }
  assert.deepEqual(await rowsNaming(server.app.database, marks), before);
});

test("dangerous operations are refused ten minutes after the sign-in, and admitted after a step-up", async () => {
  server.clock.advance(10 * MINUTE);
  // If a function decides by the body, the test of the route has such a body.
  const dangerous = answering.filter(({ stepUp }) => stepUp === true);
  assert.ok(dangerous.length >= 3);
  for (const route of dangerous) {
    const { status, json } = await call(users.admin, route);
    const platform = route.by === "user" && route.role === "platform";
    const error = platform ? "insufficient_role" : "reauthentication_required";
    assert.deepEqual([status, json.error, json.middleware], [403, error, "authorization"], route.operationId);
    assert.match(operationsText(), new RegExp(`${route.operationId} \\w+\\+`), "the list of operations says so");
  }
  await stepUpAll();
  for (const route of dangerous)
    assert.notEqual((await call(users.admin, route)).json?.error, "reauthentication_required", route.operationId);
});

/**
 * Asserts that `browser` may call exactly the operations that its session lists: those that do not need what it lacks.
 */
async function assertIncomplete(browser: Pick<SignedIn, "call">, missing: Missing): Promise<void> {
  const { operations } = (await browser.call("GET", "/session")).json;
  for (const route of adminRoutes) {
    const admitted = isAdmittedWithout(missing, route);
    assert.equal(operations.includes(route.operationId), admitted, route.operationId);
    if (admitted) continue;
    const answer = await browser.call(route.method, addressOf(route, "x").replace("/api/admin", ""));
    const { error, detail } = answer.json;
    assert.deepEqual([answer.status, error, detail], [403, "sign_in_incomplete", missing], route.operationId);
  }
}

test("a session without the code, or an admin without a required factor, can only complete the sign-in", async () => {
  const tenant = await addStaff(server);
  const [ada, eve] = [await signIn(server, tenant, "admin"), await signIn(server, tenant, "admin")];
  const signedIn = async ({ email }: SignedIn) => {
    const browser = newBrowser(server);
    await browser.call("POST", "/session", { body: { email, password: PASSWORD } });
    return browser;
  };
  await turnOnFactor(server, ada);
  await assertIncomplete(await signedIn(ada), "code");
  assert.equal((await ada.call("PATCH", "/tenant", { body: { adminsNeedFactor: true } })).status, 200);
  await assertIncomplete(await signedIn(eve), "factor");
});

test("a session with a generated password can only complete the sign-in", async () => {
  const { email, password } = await server.app.access.createUser(theirs.caller, {
    email: "drawn@example.com",
    role: "admin",
  });
  const browser = newBrowser(server);
  assert.equal((await browser.call("POST", "/session", { body: { email, password } })).json.passwordDue, true);
  await assertIncomplete(browser, "password");
});
