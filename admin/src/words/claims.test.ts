import assert from "node:assert/strict";
import { test } from "node:test";
import { isOpen, stateOfClaim } from "./claims.ts";

const AT = "2026-11-20T10:00:00.000Z";
const now = Date.parse(AT);

test("a pending claim is open until the instant at which it expires", () => {
  assert.equal(isOpen({ status: "pending", expiresAt: AT }, now - 1), true);
  assert.deepEqual(stateOfClaim({ status: "pending", expiresAt: AT }, now), ["neutral", "Expired"]);
  assert.deepEqual(stateOfClaim({ status: "used", expiresAt: AT }, now), ["good", "Used"]);
});
