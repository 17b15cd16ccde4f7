import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { REFUSAL_REASONS } from "./refusal-reasons.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/operations/refusals.md"), "utf8");

test("the table of refusal reasons in docs/operations/refusals.md has every reason with its meaning", () => {
  const section = page.split(/^#+ /m).find((each) => each.startsWith("Refusal reasons\n")) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const expected = Object.entries(REFUSAL_REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`);
  assert.deepEqual(rows, expected);
});
