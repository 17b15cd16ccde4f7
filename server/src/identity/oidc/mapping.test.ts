import assert from "node:assert/strict";
import { test } from "node:test";
import { claimOf, grantOf } from "./mapping.ts";

const RULES = [
  { value: "ops", role: "operator" as const, groupIds: ["a"] },
  { value: "it", role: "admin" as const, groupIds: ["b"] },
  { value: "ops", role: "viewer" as const, groupIds: ["c"] },
];

test("the highest role of all matching values counts, with the groups of all of them", () => {
  assert.deepEqual(grantOf(RULES, ["ops", "it", "else"]), { role: "admin", groupIds: new Set(["a", "b", "c"]) });
  assert.deepEqual(grantOf(RULES, "ops"), { role: "operator", groupIds: new Set(["a", "c"]) });
});

test("values that are no text, and texts that only resemble one, match nothing", () => {
  for (const claim of [undefined, null, 7, {}, { it: true }, [["it"]], "IT", "it ", "it,ops", []])
    assert.deepEqual(grantOf(RULES, claim), { role: undefined, groupIds: new Set() }, JSON.stringify(claim));
});

test("a claim is found by its whole name first, then by the path that its dots describe", () => {
  assert.deepEqual(claimOf({ realm_access: { roles: ["it"] } }, "realm_access.roles"), ["it"]);
  assert.equal(claimOf({ "https://acme.example/role": "it" }, "https://acme.example/role"), "it");
  for (const name of ["constructor", "a.constructor", "__proto__", "a.b.c"])
    assert.equal(claimOf({ a: {} }, name), undefined, name);
});
