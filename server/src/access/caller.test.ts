import assert from "node:assert/strict";
import { test } from "node:test";
import * as rights from "./caller.ts";
import { insufficientRole, insufficientScope, lastAdmin, ownerLacksRole, quotaExceeded } from "./errors.ts";
import { isAdmitted } from "./is-admitted.ts";

const caller = (given: rights.Rights): rights.Caller => {
  return { tenantId: "1", tenantSlug: "acme", actor: "test", rights: given };
};
const system = caller({ kind: "system" });
const user = (role: rights.Role, platform = false) =>
  caller({ kind: "user", userId: "u", role, platform, sessionId: "s" });
const key = (role: rights.Role) =>
  caller({ kind: "key", keyId: "k", scopes: new Set(["devices:read"]), owner: { userId: "o", role } });

test("all but admins and the shell see the devices of their groups only; a key sees those of its owner", () => {
  assert.equal(rights.boundedToGroupsOf(system), undefined);
  for (const by of [user, key]) assert.equal(rights.boundedToGroupsOf(by("admin")), undefined);
  assert.equal(rights.boundedToGroupsOf(user("operator")), "u");
  assert.equal(rights.boundedToGroupsOf(key("viewer")), "o");
});

test("a request is made by a key or a user, never by the shell", () => {
  assert.deepEqual(rights.requesterOf(key("admin")), { holder: "k", by: "key" });
  assert.deepEqual(rights.requesterOf(user("admin")), { holder: "test", by: "user" });
  assert.throws(() => rights.requesterOf(system), /neither/);
});

test("keys, users and sessions are told apart", () => {
  assert.equal(rights.keyOf(key("admin")).keyId, "k");
  for (const each of [user("admin"), system]) assert.throws(() => rights.keyOf(each), /no API key/);
  assert.equal(rights.ownKeyOf(key("viewer")), "k");
  for (const each of [user("admin"), system]) assert.throws(() => rights.ownKeyOf(each), { code: "invalid_request" });
  assert.deepEqual([user("viewer"), key("viewer"), system].map(rights.userIdOf), ["u", null, null]);
  assert.deepEqual([user("viewer"), key("viewer"), system].map(rights.sessionIdOf), ["s", undefined, undefined]);
  assert.equal(rights.ownUserOf(user("viewer")), "u");
  for (const each of [key("admin"), system]) assert.throws(() => rights.ownUserOf(each), { code: "invalid_request" });
});

test("a caller is offered what its rights admit, and other failures are not swallowed", () => {
  const declared = (may: object) => ({ declaration: { may } });
  assert.equal(isAdmitted(system, declared({})), true);
  assert.equal(isAdmitted(user("operator"), declared({ role: "operator" })), true);
  assert.equal(isAdmitted(user("viewer"), declared({ role: "operator" })), false);
  assert.equal(isAdmitted(user("admin"), declared({ role: "platform" })), false);
  assert.equal(isAdmitted(user("viewer", true), declared({ role: "platform" })), true);
  assert.equal(isAdmitted(user("admin"), declared({})), false);
  assert.equal(isAdmitted(key("admin"), declared({ scope: "devices:read" })), true);
  assert.equal(isAdmitted(key("viewer"), declared({ scope: "devices:read" })), true, "no role: for a key on itself");
  assert.equal(isAdmitted(key("admin"), declared({ scope: "devices:read", role: "platform" })), false);
  assert.equal(isAdmitted(key("admin"), declared({ scope: "devices:write" })), false);
  assert.throws(() => isAdmitted(user("admin"), { declaration: undefined as never }), TypeError);
});

test("a refusal says which scope, role or quota is missing", () => {
  assert.deepEqual({ ...insufficientScope(undefined) }.detail, undefined);
  assert.match(insufficientScope(undefined).message, /^no API key/i);
  assert.equal(insufficientScope("devices:read").detail, "devices:read");
  assert.match(ownerLacksRole("devices:write", "operator").message, /now an operator/);
  assert.match(ownerLacksRole("devices:write", "viewer").message, /now a viewer/);
  assert.match(insufficientRole("platform").message, /^this is only for users who run the installation/i);
  assert.match(insufficientRole(undefined, "a rotation").message, /^a rotation can only be done from the shell/i);
  assert.match(insufficientRole("admin").message, /needs the role admin/);
  assert.equal(lastAdmin().code, "last_admin");
  const { message, extra } = quotaExceeded("devices", { used: 9_999, value: 10_000 }, 2);
  assert.match(message, /would have 10,001 .* allows 10,000/);
  assert.deepEqual(extra, { quota: "devices", limit: 10_000 });
});
