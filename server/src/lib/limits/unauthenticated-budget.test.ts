import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/harness/fake-clock.ts";
import { MINUTE, SECOND } from "../clock.ts";
import { UnauthenticatedBudget } from "./unauthenticated-budget.ts";

const BLOCK = "192.0.2.1";

function budgetOf(burst: number, refillPerSecond: number) {
  const clock = new FakeClock();
  return { clock, budget: new UnauthenticatedBudget({ burst, refillPerSecond }, clock) };
}

test("a block is spent once its burst is charged, and refills with time up to its burst", () => {
  const { clock, budget } = budgetOf(10, 2);
  for (let charged = 0; charged < 10; charged++) {
    assert.equal(budget.isSpent(BLOCK), false);
    budget.charge(BLOCK, 1);
  }
  assert.equal(budget.isSpent(BLOCK), true);
  assert.equal(budget.isSpent("192.0.2.2"), false);
  clock.advance(SECOND);
  assert.equal(budget.isSpent(BLOCK), false);
  clock.advance(MINUTE);
  budget.charge(BLOCK, 10);
  assert.equal(budget.isSpent(BLOCK), true);
});

test("a refund restores what was charged, and never more than the burst", () => {
  const { budget } = budgetOf(2, 1);
  budget.charge(BLOCK, 2);
  budget.refund(BLOCK, 1);
  assert.equal(budget.isSpent(BLOCK), false);
  budget.refund(BLOCK, 100);
  budget.charge(BLOCK, 2);
  assert.equal(budget.isSpent(BLOCK), true);
});

test("debt is at most one minute's refill, whatever the charge, and the wait for tokens is in whole seconds", () => {
  const { clock, budget } = budgetOf(10, 2);
  budget.charge(BLOCK, 1_000_000);
  assert.equal(budget.secondsUntilRefilled(BLOCK), 61);
  clock.advance(MINUTE);
  assert.equal(budget.isSpent(BLOCK), true);
  assert.equal(budget.secondsUntilRefilled(BLOCK), 1);
  clock.advance(SECOND);
  assert.equal(budget.isSpent(BLOCK), false);
  assert.equal(budget.secondsUntilRefilled(BLOCK), 0);
});

test("without a limit nothing is ever spent", () => {
  const { budget } = budgetOf(Number.POSITIVE_INFINITY, 1);
  budget.charge(BLOCK, 1_000_000);
  assert.equal(budget.isSpent(BLOCK), false);
});

test("when there are too many blocks, the least recently charged one is forgotten and memory stays bounded", () => {
  const { budget } = budgetOf(1, 1);
  budget.charge(BLOCK, 1);
  for (let other = 0; other < 20_000; other++) budget.charge(`other ${other}`, 1);
  assert.equal(budget.isSpent(BLOCK), false);
  assert.equal(budget.isSpent("other 19999"), true);
});
