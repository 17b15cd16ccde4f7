import assert from "node:assert/strict";
import { test } from "node:test";
import { type Caller, type Rights, ROLES } from "./caller.ts";
import { SCOPES } from "./keys/scopes.ts";
import { type AccessRule, useCase } from "./use-case.ts";

const caller = (rights: Rights): Caller => ({ tenantId: "1", tenantSlug: "acme", actor: "test", rights });
const key = (...scopes: (typeof SCOPES)[number][]) => keyOf("admin", ...scopes);
const keyOf = (role: (typeof ROLES)[number], ...scopes: (typeof SCOPES)[number][]) =>
  caller({ kind: "key", keyId: "k", scopes: new Set(scopes), owner: { userId: "u", role } });
const user = (role: (typeof ROLES)[number]) => caller({ kind: "user", userId: "u", role });
const system = caller({ kind: "system" });

/** Returns `ran`, or the code of the error with which a use case under this rule refuses `by`. */
async function outcome(may: AccessRule, by: Caller): Promise<string> {
  const probe = useCase(may, async (answer: string, _caller) => answer);
  return await probe("ran", by).catch((error: { code: string }) => error.code);
}

test("an API key may do what its scopes allow, and nothing else", async () => {
  const may = { scope: "devices:write", role: "viewer" } as const;
  assert.equal(await outcome(may, key("devices:read", "devices:write")), "ran");
  for (const scope of SCOPES.filter((scope) => scope !== "devices:write"))
    assert.equal(await outcome(may, key(scope)), "insufficient_scope", scope);
  await assert.rejects(useCase(may, async (_deps: object, _caller) => 1)({}, key()), {
    message: "This needs the scope devices:write.",
    detail: "devices:write",
  });
});

test("a signed-in user may do what their role and the roles below it allow", async () => {
  const outcomes = await Promise.all(
    ROLES.flatMap((least) => ROLES.map((role) => outcome({ scope: "devices:read", role: least }, user(role)))),
  );
  const no = "insufficient_role";
  assert.deepEqual(outcomes, ["ran", no, no, "ran", "ran", no, "ran", "ran", "ran"]);
});

test("the shell may do everything", async () => {
  for (const may of [{}, { scope: "devices:read" }, { role: "admin" }] as const)
    assert.equal(await outcome(may, system), "ran");
});

test("a rule without a scope refuses keys, one without a role users, and an empty one all but the shell", async () => {
  assert.equal(await outcome({ role: "viewer" }, key(...SCOPES)), "insufficient_scope");
  assert.equal(await outcome({ scope: "devices:read" }, user("admin")), "insufficient_role");
  assert.equal(await outcome({}, key(...SCOPES)), "insufficient_scope");
  assert.equal(await outcome({}, user("admin")), "insufficient_role");
});

test("a refused use case rejects without running, and names the role it needs", async () => {
  let ran = false;
  const probe = useCase({ role: "admin" }, async (_deps: object, _caller, _id: string) => {
    ran = true;
  });
  const refused = probe({}, user("viewer"), "x");
  await assert.rejects(refused, { message: "This needs the role admin.", detail: "admin" });
  assert.equal(ran, false);
  assert.deepEqual(probe.may, { role: "admin" });
});
