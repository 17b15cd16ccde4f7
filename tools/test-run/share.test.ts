import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { shareProcesses } from "./share.ts";

const root = mkdtempSync(join(tmpdir(), "muster-share-"));
after(() => rmSync(root, { recursive: true }));

/** A test file with hooks that says in which order what of it is run. */
function testFile(name: string): string {
  const path = join(root, `server/test/${name}.test.ts`);
  mkdirSync(dirname(path), { recursive: true });
  const say = (what: string) => `() => console.log(${JSON.stringify(`${name} ${what}`)})`;
  const source = `import { after, before, beforeEach, test } from "node:test";
    before(${say("before")}); beforeEach(${say("each")}); after(${say("after")}); test("t", ${say("test")});`;
  writeFileSync(path, source);
  return path;
}

test("files that share a process are each a suite of it, whose hooks enclose its own tests and no other's", () => {
  const [entry, ...more] = shareProcesses(root, [testFile("one"), testFile("two")], 1, join(root, "made"));
  assert.deepEqual(more, []);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const said = execFileSync(process.execPath, ["--test-reporter=tap", entry!], { encoding: "utf8", env });
  assert.deepEqual(
    said.split("\n").filter((line) => /^(one|two) /.test(line)),
    ["one", "two"].flatMap((name) => ["before", "each", "test", "after"].map((what) => `${name} ${what}`)),
  );
  assert.match(said, /^# Subtest: server\/test\/one\.test\.ts$/m);
});

test("every file is in exactly one process, and one that must be alone is", () => {
  const files = ["a", "b", "c", "api-malformed"].map(testFile);
  const started = shareProcesses(root, files, 2, join(root, "made"));
  assert.deepEqual(started, [files[3], join(root, "made/process-1.mjs"), join(root, "made/process-2.mjs")]);
  assert.equal(shareProcesses(root, files.slice(0, 1), 2, join(root, "made")).length, 1);
});
