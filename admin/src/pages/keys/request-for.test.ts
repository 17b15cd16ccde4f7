import assert from "node:assert/strict";
import { test } from "node:test";
import { requestFor } from "./request-for.ts";

test("the request of a new key reads what one of its scopes allows", () => {
  const command = requestFor("mstr_1", ["tickets:write", "provisioning:read"], {
    origin: "https://muster.example",
    caPem: undefined,
  });
  assert.match(command, /X-API-Key: mstr_1/);
  assert.match(command, /https:\/\/muster\.example\/api\/v1\/provisioning\/claims\?limit=10/);
});
