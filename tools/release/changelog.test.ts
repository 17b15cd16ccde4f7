import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { datedChangelog } from "./changelog.ts";

const TEXT = "# Changelog\n\n## [Unreleased]\n\nNew.\n\n## [1.0.0] - 2026-01-02\n\nOld.\n";
const RELEASED =
  "# Changelog\n\n## [Unreleased]\n\n## [2.0.0] - 2026-03-04\n\nNew.\n\n## [1.0.0] - 2026-01-02\n\nOld.\n";

test("a release dates what is unreleased and leaves nothing under that heading", () => {
  assert.equal(datedChangelog(TEXT, "2.0.0", "2026-03-04"), RELEASED);
});

test("a release is refused without an entry, with one of more than 600 words, and a second time", () => {
  const refused = (text: string, version: string) => () => datedChangelog(text, version, "2026-03-04");
  assert.throws(refused(RELEASED, "2.0.1"), /nothing under \[Unreleased\]/);
  assert.throws(refused(TEXT, "1.0.0"), /an entry of 1\.0\.0 already/);
  assert.throws(refused("# Changelog\n", "2.0.0"), /no heading/);
  assert.throws(refused(TEXT.replace("New.", "word ".repeat(601)), "2.0.0"), /has 601 words, of at most 600/);
});

test("CHANGELOG.md can be released as it stands, unless nothing has changed since the last version", () => {
  const text = readFileSync(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8");
  const [, entry] = text.split("## [Unreleased]\n");
  assert.ok(entry !== undefined);
  if (!/^\s*## /.test(entry)) datedChangelog(text, "99.0.0", "2026-03-04");
});
