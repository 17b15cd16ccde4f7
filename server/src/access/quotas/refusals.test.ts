import assert from "node:assert/strict";
import { test } from "node:test";
import type { QuotaDeps } from "./quota-deps.ts";
import { createRefusals } from "./refusals.ts";

/** Returns refusals on a clock of the test, with what they counted and logged. */
function refusalsAt(clock: { ms: number }) {
  const counted: string[] = [];
  const logged: unknown[] = [];
  const deps = {
    clock: { monotonicMs: () => clock.ms },
    logger: { warn: (fields: unknown) => logged.push(fields) },
    metrics: { quotaRefusals: { inc: ({ quota }: { quota: string }) => counted.push(quota) } },
  } as unknown as QuotaDeps;
  return { refusals: createRefusals(deps), counted, logged };
}

test("each refusal is counted, and logged once a minute for a tenant and quota", () => {
  const clock = { ms: 5 };
  const { refusals, counted, logged } = refusalsAt(clock);
  const error = refusals.exceeded("a", "devices", { used: 3, value: 3 }, 1);
  assert.equal(error.code, "quota_exceeded");
  refusals.count("a", "devices");
  refusals.count("a", "openClaims");
  refusals.count("b", "devices");
  clock.ms += 59_999;
  refusals.count("a", "devices");
  assert.equal(logged.length, 3);
  clock.ms += 1;
  refusals.count("a", "devices");
  assert.equal(logged.length, 4);
  assert.deepEqual(logged[0], { tenantId: "a", quota: "devices" });
  assert.equal(counted.length, 6);
});

test("ten thousand logged refusals are remembered; then all are forgotten and logged again", () => {
  const { refusals, logged } = refusalsAt({ ms: 0 });
  for (let n = 0; n < 10_000; n++) refusals.count(String(n), "devices");
  refusals.count("0", "devices");
  assert.equal(logged.length, 10_000);
  refusals.count("new", "devices");
  refusals.count("0", "devices");
  assert.equal(logged.length, 10_002);
});
