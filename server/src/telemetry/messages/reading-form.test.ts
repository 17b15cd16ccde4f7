import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reading } from "../reading.ts";
import { DeviceShapes, type MissingShapes } from "./device-shapes.ts";
import { layoutOf, ReadingForms } from "./reading-form.ts";

const LIMITS = { shapesPerDevice: 100, shapeColumnsPerDevice: 4_000 };

/** Returns a reading with `count` metrics and a different form for each `n`. */
function readingOf(count: number, n: number): Reading {
  const metrics = Array.from({ length: count }, (_, at) => (at === 0 ? `first ${n}` : `m${at}`));
  return { time: undefined, timeReplaced: false, metrics, values: metrics.map(() => 1) };
}

test("forms in memory are bounded by their metrics, so fewer large ones stay", () => {
  for (const [count, stays] of [
    [3, true],
    [200, false],
  ] as const) {
    const forms = new ReadingForms();
    const first = forms.of(readingOf(count, 0));
    for (let n = 1; n <= 1_000; n++) forms.of(readingOf(count, n));
    assert.equal(forms.of(readingOf(count, 0)) === first, stays, `${count} metrics`);
  }
});

test("a shape with long names counts as several", () => {
  const unitsOf = (name: string) => {
    const device = new DeviceShapes("d", LIMITS);
    const layout = layoutOf(
      Array.from({ length: 200 }, (_, at) => `${at}${name}`),
      "n".repeat(200),
      false,
    );
    device.add({ deviceUid: "d", shapeNo: 1, layout });
    device.add({ deviceUid: "d", shapeNo: 1, layout });
    return device.units;
  };
  assert.ok(unitsOf("x".repeat(120)) > 90);
  assert.ok(unitsOf("") < 10);
});

test("larger combinations of metrics are allowed in smaller numbers, and beyond that each metric gets a row", () => {
  for (const [count, combinations] of [
    [3, 100],
    [199, 20],
    [500, 8],
  ] as const) {
    const forms = new ReadingForms();
    const device = new DeviceShapes("d", LIMITS);
    let shapeNo = 0;
    const rowsOf = (n: number): number => {
      const missing: MissingShapes = new Map();
      const rows = device.rowsOf(readingOf(count, n), forms, missing);
      const added = [...(missing.get("d")?.values() ?? [])];
      for (const layout of added) device.add({ deviceUid: "d", shapeNo: ++shapeNo, layout });
      return added.length > 0 ? rowsOf(n) : rows.length;
    };
    const rows = Array.from({ length: 120 }, (_, n) => rowsOf(n));
    assert.deepEqual(
      rows,
      rows.map((_, n) => (n < combinations ? 1 : count)),
      `${count} metrics`,
    );
  }
});
