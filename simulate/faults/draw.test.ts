import assert from "node:assert/strict";
import { test } from "node:test";
import { drawFaults, FAULTS, type FaultKind, type FaultPlan } from "./draw.ts";

const kinds = Object.keys(FAULTS) as FaultKind[];
const PLAN: FaultPlan = { count: 100, seed: 7, kinds, nodes: 3, nats: 3, leaseSeconds: 10, longestSeconds: 60 };

test("a seed draws the same faults each time, and another seed other ones", () => {
  assert.deepEqual(drawFaults(PLAN), drawFaults(PLAN));
  assert.notDeepEqual(drawFaults(PLAN), drawFaults({ ...PLAN, seed: 8 }));
});

test("a hundred faults have each kind several times, each target, and a pause of PostgreSQL of the full length", () => {
  const faults = drawFaults(PLAN);
  for (const kind of kinds) assert.ok(faults.filter((fault) => fault.kind === kind).length >= 8, kind);
  assert.deepEqual([...new Set(faults.map(({ target }) => target))].sort(), [0, 1, 2]);
  assert.deepEqual(
    faults.filter(({ seconds }) => seconds === 60).map(({ kind }) => kind),
    ["database paused"],
  );
});

test("a frozen node stops for longer than its lease, and nothing lasts longer than allowed", () => {
  const frozen = drawFaults(PLAN).filter(({ kind }) => kind === "frozen");
  assert.ok(frozen.every(({ seconds }) => seconds > PLAN.leaseSeconds));
  assert.ok(drawFaults({ ...PLAN, longestSeconds: 1 }).every(({ seconds }) => seconds <= 1));
});
