import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlots } from "./slots.ts";

const a = { tenantId: "a", queue: "a1" };
const a2 = { tenantId: "a", queue: "a2" };
const a3 = { tenantId: "a", queue: "a3" };
const b = { tenantId: "b", queue: "b1" };

test("the slots of a queue and of a tenant are limited, and are returned", () => {
  const slots = createSlots({ total: 64, perTenant: 3, perQueue: 2 });
  slots.take(a);
  assert.deepEqual([slots.fullQueues([]), slots.fullTenants()], [[], []]);
  slots.take(a);
  assert.deepEqual([slots.fullQueues([]), slots.fullTenants()], [["a1"], []]);
  slots.take(a2);
  assert.deepEqual(slots.fullTenants(), ["a"]);
  slots.release(a);
  assert.deepEqual([slots.fullQueues([]), slots.fullTenants()], [[], []]);
});

test("failing queues get one slot each, and together at most half of their tenant's slots and half of all", () => {
  const slots = createSlots({ total: 6, perTenant: 4, perQueue: 2 });
  const failing = [a, a2, a3, b];
  slots.take(a);
  assert.deepEqual(slots.fullQueues(failing), ["a1"]);
  slots.take(a2);
  assert.deepEqual(slots.fullQueues(failing), ["a1", "a2", "a3"]);
  slots.take(b);
  assert.deepEqual(slots.fullQueues(failing), ["a1", "a2", "a3", "b1"]);
  assert.deepEqual(slots.fullQueues([]), []);
});
