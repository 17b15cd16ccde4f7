import assert from "node:assert/strict";
import { test } from "node:test";
import { DropFloor } from "./drop-floor.ts";

test("numbers are re-read until every transaction that was open at their first read has ended", () => {
  const floor = new DropFloor(0n);
  floor.acknowledged(10_000n, { xmin: "700", xmax: "705" });
  floor.acknowledged(20_000n, { xmin: "700", xmax: "30000" });
  assert.equal(floor.number, -2_000n);
  floor.acknowledged(20_001n, { xmin: "704", xmax: "30001" });
  assert.equal(floor.number, -2_000n);
  floor.acknowledged(20_002n, { xmin: "705", xmax: "30002" });
  assert.equal(floor.number, 8_000n);
  floor.acknowledged(30_000n, { xmin: "30002", xmax: "30005" });
  assert.equal(floor.number, 18_002n);
});

test("after a crash the floor drops to the remaining numbers, and then follows later reads", () => {
  const floor = new DropFloor(50_000n);
  floor.acknowledged(60_000n, { xmin: "900", xmax: "900" });
  floor.lower(40_000n);
  floor.acknowledged(40_001n, { xmin: "500", xmax: "500" });
  assert.equal(floor.number, 38_000n);
  floor.acknowledged(40_002n, { xmin: "500", xmax: "501" });
  assert.equal(floor.number, 38_001n);
});
