import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ineffectiveScopes } from "./scope-roles.ts";
import { checkScopes, expandScopes, SCOPES, SPECIFIED_SCOPES, scopesIn } from "./scopes.ts";

const refused = (scope: string) => ({ code: "invalid_request", detail: scope });

test("every scope can be granted and grants only itself", () => {
  for (const scope of SCOPES) {
    assert.deepEqual(checkScopes([scope]), [scope]);
    assert.deepEqual([...expandScopes([scope])], [scope]);
  }
});

test("a wildcard grants read and write of its resource, and write does not imply read", () => {
  assert.deepEqual([...expandScopes(checkScopes(["devices:*"]))], ["devices:read", "devices:write"]);
  assert.equal(expandScopes(["tickets:write"]).has("tickets:read"), false);
});

test("all scopes of the specification exist, and none of its wildcards allows more", () => {
  assert.equal(SPECIFIED_SCOPES.length, 17);
  assert.deepEqual(SCOPES.slice(0, 17), SPECIFIED_SCOPES);
  const specified = new Set<string>(SPECIFIED_SCOPES);
  const resources = new Set(SPECIFIED_SCOPES.map((scope) => scope.split(":")[0]));
  for (const resource of resources)
    for (const scope of expandScopes([`${resource}:*`])) assert.ok(specified.has(scope), scope);
});

test("there is no wildcard for provisioning, device certificates, read-only resources, or everything", () => {
  const added = ["device-registry:*", "telemetry:*", "refusals:*", "events:*"];
  for (const scope of ["provisioning:*", "device-certificates:*", ...added, "*", "*:*", "*:read", ":*"])
    assert.throws(() => checkScopes(["devices:read", scope]), refused(scope));
});

test("device certificates have the scopes read, issue and revoke, but not write", () => {
  assert.throws(() => checkScopes(["device-certificates:write"]), refused("device-certificates:write"));
});

test("a scope that is not spelled exactly is unknown", () => {
  for (const scope of ["devices", "Devices:read", "devices:read ", "devices:", "devices:delete", "device:read", ""])
    assert.throws(() => checkScopes([scope]), refused(scope));
});

test("the error for an unknown scope lists the valid ones", () => {
  const message =
    /^Unknown scope devices:foo\. Valid scopes: devices:read, .*device-certificates:revoke, telemetry:read, .*webhooks:write, .*devices:\*, .*tickets:\*, webhooks:\*, .*mqtt-clients:\*, users:\*\.$/;
  assert.throws(() => checkScopes(["devices:foo"]), { message });
  assert.throws(() => checkScopes(["provisioning:*"]), {
    message: /name each .*: provisioning:read, provisioning:write\.$/,
  });
});

test("a key without any scope is refused", () => {
  assert.throws(() => checkScopes([]), { code: "invalid_request" });
});

test("a stored wildcard never grants an identity-issuing scope", () => {
  const stored = fc.array(
    fc.oneof(fc.constantFrom("provisioning:*", "device-certificates:*", "*", "devices:*", "groups:*"), fc.string()),
  );
  fc.assert(
    fc.property(stored, (scopes) => {
      const spelled = new Set(scopes);
      for (const scope of expandScopes(scopes))
        if (/^(provisioning|device-certificates):/.test(scope)) assert.ok(spelled.has(scope));
    }),
  );
});

test("combinations of scopes are expanded once and remembered, a thousand of them", () => {
  const combination = (n: number) => `devices:read x:${n}`;
  const first = scopesIn(combination(0));
  assert.deepEqual([...first], ["devices:read"]);
  assert.equal(scopesIn(combination(0)), first);
  for (let n = 1; n < 2_000; n++) scopesIn(combination(n));
  assert.notEqual(scopesIn(combination(0)), first, "forgotten in the meantime");
});

test("a scope beyond the role of the key's owner has no effect", () => {
  const granted = ["devices:*", "webhooks:read", "provisioning:write"];
  assert.deepEqual(ineffectiveScopes(granted, "admin"), []);
  assert.deepEqual(ineffectiveScopes(granted, "operator"), ["webhooks:read", "provisioning:write"]);
  assert.deepEqual(ineffectiveScopes(granted, "viewer"), ["devices:write", "webhooks:read", "provisioning:write"]);
});
