import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import { instrument } from "./instrument.ts";

/** Returns `from → to` of each mutant of `text`. */
function changes(text: string): string[] {
  return instrument("x.ts", text, 1).mutants.map(({ from, to }) => `${from} → ${to}`);
}

/** Returns the result of the function `f` in `text` while the mutant with this id is active. */
function resultOf(text: string, active: number): unknown {
  const { code } = instrument("x.ts", text, 1);
  const run = new Function("__mutant", `${stripTypeScriptTypes(code)}; return f();`);
  return run((id: number) => id === active);
}

test("operators, conditions, booleans, numbers and methods change, one at a time", () => {
  assert.deepEqual(changes("const a = b < 2;"), ["2 → 3", "b < 2 → b <= 2", "b < 2 → b >= 2"]);
  assert.deepEqual(changes("const a = b && true;"), ["true → false", "b && true → (b) || (true)"]);
  assert.deepEqual(changes("const a = b.some(c);"), ["b.some(c) → b.every(c)"]);
  assert.deepEqual(changes("if (a) b();"), ["a → false", "a → true", "b(); → (removed)"]);
});

test("texts, types, names and imports stay", () => {
  assert.deepEqual(changes(`import a from "1"; const b: Map<1, "x"> = { "2": "three" + a };`), []);
  assert.deepEqual(changes("const a = b?.some(c).d;"), [], "a part of an optional chain");
});

test("without an active mutant the code does what it did, and each mutant does what it says", () => {
  const text = "function f(a: number = 2) { let b = a; if (b > 1) b += 3; else b = 0; return b as number; }";
  const { mutants } = instrument("x.ts", text, 1);
  assert.equal(resultOf(text, 0), 5);
  const results = mutants.map(({ from, to, id }) => [`${from} → ${to}`, resultOf(text, id)]);
  assert.deepEqual(Object.fromEntries(results), {
    "2 → 3": 6,
    "1 → 2": 0,
    "b > 1 → b >= 1": 5,
    "b > 1 → b <= 1": 0,
    "b > 1 → false": 0,
    "b > 1 → true": 5,
    "3 → 4": 6,
    "b += 3 → b -= 3": -1,
    "b += 3; → (removed)": 2,
    "0 → 1": 5,
    "b = 0; → (removed)": 5,
  });
});
