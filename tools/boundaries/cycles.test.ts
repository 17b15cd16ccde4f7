import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findCycles } from "./cycles.ts";

function graph(edges: [string, string][]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [from, to] of edges) found.set(from, [...(found.get(from) ?? []), to]);
  return found;
}

test("every file on a cycle is on a returned path, and each path is the shortest one back to its start", () => {
  const edges: [string, string][] = [
    ["c", "a"],
    ["b", "c"],
    ["a", "b"],
    ["a", "c"],
    ["x", "a"],
  ];
  assert.deepEqual(findCycles(graph(edges)), [
    ["a", "c", "a"],
    ["b", "c", "a", "b"],
  ]);
});

test("a file that imports itself is a cycle", () => {
  assert.deepEqual(findCycles(graph([["a", "a"]])), [["a", "a"]]);
});

test("imports that only go downwards have no cycle, and one import upwards creates one", () => {
  const downwards = fc.array(
    fc.tuple(fc.nat(20), fc.nat(20)).filter(([from, to]) => from < to),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(downwards, (pairs) => {
      const edges = pairs.map(([from, to]): [string, string] => [`${from}`, `${to}`]);
      assert.deepEqual(findCycles(graph(edges)), []);
      const [from, to] = edges[0]!;
      assert.ok(findCycles(graph([...edges, [to, from]])).length > 0);
    }),
  );
});
