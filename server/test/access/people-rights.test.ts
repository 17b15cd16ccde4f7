import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Caller, Role } from "../../src/access/access.ts";
import { adminRoutes } from "../../src/api/admin-routes.ts";
import { isMusterError } from "../../src/lib/errors.ts";
import { rowsNaming } from "../harness/database/rows.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn, tokenOf } from "../harness/sign-in.ts";
import { addStaff, type Staff } from "./authorization/records.ts";

/**
 * Who may change whom: every operation that changes a user, by every role of the caller, on every role of the changed
 * user. The operations are found by their name in the administrative audit, so that a new one fails here until it has a
 * row.
 */
let server: TestServer;
let staff: Staff;
let callers: Record<CallerRole, Caller>;
let browsers: Record<Exclude<CallerRole, "shell">, SignedIn>;

const CALLERS = ["viewer", "operator", "admin", "platform", "shell"] as const;
type CallerRole = (typeof CALLERS)[number];
const TARGETS = ["viewer", "operator", "admin", "platform", "deactivated platform"] as const;
type TargetRole = (typeof TARGETS)[number];

interface Target {
  id: string;
  email: string;
}

interface Operation {
  args: (target: Target) => unknown[];
  /** The body of the admin app's operation, if there is one and it takes a body. */
  body?: object;
  /** Whether only the shell has it. */
  shellOnly?: true;
}

const byId = ({ id }: Target) => [id];
const byEmail = ({ email }: Target) => [email];

/** Each operation that changes an existing user. Text after the name distinguishes its variants. */
const OPERATIONS: Record<string, Operation> = {
  "access.changeUser role": { args: ({ id }) => [id, { role: "viewer" }], body: { role: "viewer" } },
  "access.changeUser promotion": { args: ({ id }) => [id, { role: "admin" }], body: { role: "admin" } },
  "access.changeUser deactivation": {
    args: ({ id }) => [id, { status: "deactivated" }],
    body: { status: "deactivated" },
  },
  "access.changeUser reactivation": { args: ({ id }) => [id, { status: "active" }], body: { status: "active" } },
  "access.changeUser keys": { args: ({ id }) => [id, { revokeKeys: true }], body: { revokeKeys: true } },
  "access.removeUser": { args: byId },
  "access.deactivateUser": { args: byEmail },
  "access.reactivateUser": { args: byEmail },
  "access.deleteUser": { args: byEmail },
  "access.replacePassword": { args: byEmail },
  "access.setPlatformUser": { args: ({ email }) => [email, false], shellOnly: true },
  "identity.createResetLink": { args: byId },
  "identity.resetFactor": { args: byId },
  "identity.unlockUser": { args: byEmail },
  "identity.resetProviderLink": { args: byId, shellOnly: true },
};

interface Bound {
  (caller: Caller, ...args: unknown[]): Promise<unknown>;
  declaration?: { act?: string };
}

const facade = (feature: string) => (server.app as unknown as Record<string, Record<string, Bound>>)[feature]!;

/** The promise: no user changes another with more rights, and viewers and operators change none. */
function mayChange(caller: CallerRole, target: TargetRole, { shellOnly }: Operation): boolean {
  if (caller === "shell") return true;
  if (shellOnly || caller === "viewer" || caller === "operator") return false;
  return caller === "platform" || !target.endsWith("platform");
}

before(async () => {
  server = await startServer();
  staff = await addStaff(server);
  const signedIn = async (role: Role) => await signIn(server, staff, role);
  const platform = await signedIn("admin");
  await setPlatform(platform.userId);
  await platform.call("POST", "/session", { body: { email: platform.email, password: PASSWORD } });
  browsers = {
    viewer: await signedIn("viewer"),
    operator: await signedIn("operator"),
    admin: await signedIn("admin"),
    platform,
  };
  const asUser = ({ userId }: SignedIn, role: Role, platform = false): Caller => ({
    ...staff.caller,
    actor: `user:${userId}`,
    rights: { kind: "user", userId, role, platform },
  });
  callers = {
    viewer: asUser(browsers.viewer, "viewer"),
    operator: asUser(browsers.operator, "operator"),
    admin: asUser(browsers.admin, "admin"),
    platform: asUser(platform, "admin", true),
    shell: staff.caller,
  };
});
after(() => server.stop());

async function setPlatform(id: string, status = "active"): Promise<void> {
  const { db } = server.app.database;
  await runSql(db, "UPDATE users SET platform = true, status = $2 WHERE id = $1", [id, status]);
}

/** Creates a user without a password: hashing one for each would be most of the work of these tests. */
async function addTarget(role: TargetRole): Promise<Target> {
  const [id, email] = [randomUUID(), `target-${randomBytes(6).toString("hex")}@example.com`];
  const isOperator = role.endsWith("platform");
  const values = [id, staff.caller.tenantId, email, isOperator ? "admin" : role, server.clock.now()];
  const columns = "id, tenant_id, email, role, created_at, password_hash";
  await runSql(server.app.database.db, `INSERT INTO users (${columns}) VALUES ($1, $2, $3, $4, $5, '')`, values);
  if (isOperator) await setPlatform(id, role === "platform" ? "active" : "deactivated");
  return { id, email };
}

/** The code of the refusal; `undefined` if the operation was executed. */
async function refusal(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (isMusterError(error)) return error.code;
    throw error;
  }
}

test("every operation that changes a user has a row here", () => {
  const acts = ["access", "identity"].flatMap((feature) =>
    Object.entries(facade(feature)).flatMap(([name, { declaration }]) =>
      /^user\.(?!create$)/.test(declaration?.act ?? "") ? [`${feature}.${name}`] : [],
    ),
  );
  // It changes the caller alone.
  const own = ["access.changeProfile"];
  const named = Object.keys(OPERATIONS).map((name) => name.split(" ")[0]!);
  assert.deepEqual(new Set(acts), new Set([...own, ...named]));
});

for (const [name, operation] of Object.entries(OPERATIONS)) {
  test(`${name}: permitted and refused for every role of the caller and of the user`, async () => {
    const [feature, useCase] = name.split(" ")[0]!.split(".") as [string, string];
    const run = facade(feature)[useCase]!;
    const kept = new Map<TargetRole, Target>();
    for (const role of TARGETS) kept.set(role, await addTarget(role));
    const marks = [...kept.values()].map(({ id }) => id);
    const before = await rowsNaming(server.app.database, marks);
    for (const targetRole of TARGETS) {
      for (const caller of CALLERS) {
        const permitted = mayChange(caller, targetRole, operation);
        const target = permitted ? await addTarget(targetRole) : kept.get(targetRole)!;
        const refused = await refusal(run(callers[caller], ...operation.args(target)));
        assert.equal(refused, permitted ? undefined : "insufficient_role", `${name} of ${targetRole} by ${caller}`);
      }
    }
    assert.deepEqual(await rowsNaming(server.app.database, marks), before, `${name} changes what it refuses`);
  });
}

test("the admin app answers each of these operations alike", async () => {
  const routed = Object.entries(OPERATIONS).flatMap(([name, operation]) => {
    const [feature, useCase] = name.split(" ")[0]!.split(".") as [string, string];
    const { declaration } = facade(feature)[useCase]!;
    const route = adminRoutes.find((each) => each.by === "user" && (each.useCase as object) === declaration);
    return route ? [[name, operation, route] as const] : [];
  });
  assert.equal(routed.length, 8);
  for (const [name, operation, route] of routed) {
    for (const targetRole of TARGETS) {
      for (const caller of CALLERS.filter((each) => each !== "shell")) {
        const { id } = await addTarget(targetRole);
        const path = route.path.replace("/api/admin", "").replace("{id}", id);
        const { status, json } = await browsers[caller].call(
          route.method,
          path,
          operation.body ? { body: operation.body } : {},
        );
        const permitted = mayChange(caller, targetRole, operation);
        assert.equal(status === 403, !permitted, `${name} of ${targetRole} by ${caller}: ${status}`);
        if (!permitted) assert.equal(json.error, "insufficient_role");
      }
    }
  }
});

test("no invitation and no new user gets the right to run the installation, from any caller", async () => {
  for (const caller of CALLERS) {
    const permitted = caller !== "viewer" && caller !== "operator";
    for (const role of ["viewer", "operator", "admin"] as const) {
      const email = () => `new-${randomBytes(6).toString("hex")}@example.com`;
      const [created, invited] = [email(), email()];
      const { access, identity } = server.app;
      const codes = [
        await refusal(access.createUser(callers[caller], { email: created, role })),
        await refusal(
          identity.inviteUser(callers[caller], { email: invited, role }).then(async ({ url }) => {
            const body = { token: tokenOf(url), password: PASSWORD };
            const { json } = await newBrowser(server).call("POST", "/invites/accept", { body });
            assert.deepEqual([json.user.role, json.user.platform], [role, false]);
          }),
        ),
      ];
      const code = permitted ? undefined : "insufficient_role";
      assert.deepEqual(codes, [code, code], `${role} by ${caller}`);
      if (permitted) assert.equal((await platformOf(created))[0]?.platform, false);
    }
  }
});

const platformOf = (email: string) =>
  runSql<{ platform: boolean }>(server.app.database.db, "SELECT platform FROM users WHERE email = $1", [email]);

test("a reset link that an admin created stops once its user runs the installation; one of an operator works", async () => {
  for (const [caller, error] of [
    ["admin", "link_expired"],
    ["platform", undefined],
    ["shell", undefined],
  ] as const) {
    const { id, email } = await addTarget("admin");
    const { url } = await server.app.identity.createResetLink(callers[caller], id);
    await server.app.access.setPlatformUser(staff.caller, email, true);
    const body = { token: tokenOf(url), password: PASSWORD };
    const { json } = await newBrowser(server).call("POST", "/password/reset", { body });
    assert.equal(json?.error, error, caller);
  }
});

test("the last active user who runs the installation keeps that right; the shell may end it", async () => {
  const { db } = server.app.database;
  const last = browsers.platform;
  await runSql(db, "UPDATE users SET platform = false WHERE platform AND status = 'active' AND id <> $1", [
    last.userId,
  ]);
  await last.call("POST", "/session/step-up", { body: { password: PASSWORD } });
  for (const body of [{ role: "viewer" }, { status: "deactivated" }]) {
    const { status, json } = await last.call("PATCH", `/users/${last.userId}`, { body });
    assert.deepEqual([status, json.error], [409, "last_operator"]);
  }
  const { status, json } = await last.call("DELETE", `/users/${last.userId}`);
  assert.deepEqual([status, json.error], [409, "last_operator"]);
  await server.app.access.setPlatformUser(staff.caller, last.email, false);
  assert.equal((await platformOf(last.email))[0]?.platform, false);
});
