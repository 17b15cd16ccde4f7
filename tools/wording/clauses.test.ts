import assert from "node:assert/strict";
import { test } from "node:test";
import { clausesOf, keysOf } from "./clauses.ts";

test("a citation names one clause, several, a range, or rules of a clause", () => {
  assert.deepEqual(keysOf("4.10"), ["4.10"]);
  assert.deepEqual(keysOf("4.9, 9"), ["4.9", "9"]);
  assert.deepEqual(keysOf("2.1-2.6, 3"), ["2.1", "2.6", "3"]);
  assert.deepEqual(keysOf("3.1 rule 4"), ["3.1 rule 4"]);
  assert.deepEqual(keysOf("5 rules 3, 5"), ["5 rule 3", "5 rule 5"]);
});

test("clauses are the numbered headings of the specification, and rules the items below them", () => {
  const page = "# Title\n\n## 3. States\n\n### 3.1 Claim\n\n1. One.\n2. Two.\n\n### 3.2 Certificate\n\n- no rule\n";
  assert.deepEqual([...clausesOf(page)].sort(), ["3", "3.1", "3.1 rule 1", "3.1 rule 2", "3.2"]);
});
