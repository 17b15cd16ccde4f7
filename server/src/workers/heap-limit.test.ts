import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { heapFlags } from "./heap-limit.ts";

const GIB = 1024 ** 3;
const total = 24 * GIB;

test("the heaps of all processes add up to half of the memory limit", () => {
  for (const workers of [2, 4, 16]) {
    const [flag] = heapFlags(workers, { total, constrained: 4 * GIB }, "");
    const heap = Number(/^--max-old-space-size=(\d+)$/.exec(flag!)![1]);
    assert.ok(heap * (workers + 1) <= 2048 && heap * (workers + 1) > 2048 - workers - 1, flag);
  }
});

test("V8 accepts the flag", () => {
  const flags = heapFlags(2, { total, constrained: GIB }, "");
  const script = "console.log(v8.getHeapStatistics().heap_size_limit)";
  const { stdout } = spawnSync(process.execPath, [...flags, "-e", script], { encoding: "utf8", env: {} });
  const unbounded = Number(spawnSync(process.execPath, ["-e", script], { encoding: "utf8", env: {} }).stdout);
  // The young generation is not included in the limit.
  assert.ok(Number(stdout) >= GIB / 6 - 1024 ** 2 && Number(stdout) < unbounded / 2, `${stdout} of ${unbounded}`);
});

test("without a memory limit, or with a heap limit set by the operator, V8's limit is unchanged", () => {
  for (const constrained of [undefined, 0, 2 ** 64, total])
    assert.deepEqual(heapFlags(2, { total, constrained }, ""), []);
  for (const given of ["--max-old-space-size=300", "--trace-gc --max_old_space_size=300", "--max-heap-size=900"])
    assert.deepEqual(heapFlags(2, { total, constrained: GIB }, given), []);
});
