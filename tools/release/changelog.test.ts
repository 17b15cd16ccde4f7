import assert from "node:assert/strict";
import { test } from "node:test";
import { datedChangelog } from "./changelog.ts";

const TEXT = "# Changelog\n\n## 2.0.0 (unreleased)\n\nNew.\n\n## 1.0.0 - 2026-01-02\n\nOld.\n";

test("a release dates its entry and leaves an empty one above it", () => {
  const expected = "# Changelog\n\n## Unreleased\n\n## 2.0.0 - 2026-03-04\n\nNew.\n\n## 1.0.0 - 2026-01-02\n\nOld.\n";
  assert.equal(datedChangelog(TEXT, "2.0.0", "2026-03-04"), expected);
});

test("a release without an entry, or with one of more than 600 words, is refused", () => {
  assert.throws(() => datedChangelog(TEXT, "3.0.0", "2026-03-04"), /no entry "## 3.0.0 \(unreleased\)"/);
  const long = TEXT.replace("New.", "word ".repeat(601));
  assert.throws(() => datedChangelog(long, "2.0.0", "2026-03-04"), /has 601 words, of at most 600/);
});
