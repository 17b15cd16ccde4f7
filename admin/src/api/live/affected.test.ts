import assert from "node:assert/strict";
import { test } from "node:test";
import { affectedBy } from "./affected.ts";

test("an event makes stale what its family is read from, and the overview", () => {
  assert.deepEqual(affectedBy("claim.redeemed"), ["/api/admin/overview", "/api/admin/claims"]);
  assert.deepEqual(affectedBy("unknown.kind"), ["/api/admin/overview"]);
});
