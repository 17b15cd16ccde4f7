import assert from "node:assert/strict";
import { test } from "node:test";
import { TenantShares } from "./tenant-shares.ts";

const MAX = 1000;

test("a flooding tenant waits once only a fifth is free, and others do not", () => {
  const shares = new TenantShares();
  shares.appended("loud", 795);
  shares.appended("quiet", 5);
  shares.measure({ bytes: 790, maxBytes: MAX });
  assert.deepEqual([shares.isAbove("loud"), shares.isAbove("quiet"), shares.countAbove], [false, false, 0]);
  shares.measure({ bytes: 810, maxBytes: MAX });
  assert.deepEqual([shares.isAbove("loud"), shares.isAbove("quiet"), shares.countAbove], [true, false, 1]);
  assert.equal(shares.isAbove("new"), false);
});

test("several flooding tenants all wait before the stream is full", () => {
  const shares = new TenantShares();
  for (const tenant of ["a", "b", "c"]) shares.appended(tenant, 300);
  shares.measure({ bytes: 900, maxBytes: MAX });
  assert.equal(shares.countAbove, 0);
  shares.measure({ bytes: 930, maxBytes: MAX });
  assert.equal(shares.countAbove, 3);
});

test("a tenant that sends alone may fill the stream", () => {
  const shares = new TenantShares();
  shares.appended("alone", MAX);
  shares.measure({ bytes: MAX, maxBytes: MAX });
  assert.equal(shares.isAbove("alone"), false);
});

test("a nearly empty stream divides its room from scratch", () => {
  const shares = new TenantShares();
  shares.appended("a", 800);
  shares.appended("b", 100);
  shares.measure({ bytes: 900, maxBytes: MAX });
  assert.equal(shares.isAbove("a"), true);
  shares.measure({ bytes: 40, maxBytes: MAX });
  shares.appended("b", 800);
  shares.appended("a", 100);
  shares.measure({ bytes: 900, maxBytes: MAX });
  assert.deepEqual([shares.isAbove("a"), shares.isAbove("b")], [false, true]);
});
