import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { shareProcesses } from "./share.ts";

const root = mkdtempSync(join(tmpdir(), "muster-share-"));
after(() => rmSync(root, { recursive: true }));

/** A test file whose hooks and test print their names as they run. */
function testFile(name: string): string {
  const path = join(root, `server/test/${name}.test.ts`);
  mkdirSync(dirname(path), { recursive: true });
  const print = (what: string) => `() => console.log(${JSON.stringify(`${name} ${what}`)})`;
  const source = `import { after, before, beforeEach, test } from "node:test";
    before(${print("before")}); beforeEach(${print("each")}); after(${print("after")}); test("t", ${print("test")});`;
  writeFileSync(path, source);
  return path;
}

test("files that share a process are suites whose hooks run for their own tests only", () => {
  const [entry, ...more] = shareProcesses(root, [testFile("one"), testFile("two")], 1, join(root, "made"));
  assert.deepEqual(more, []);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const output = execFileSync(process.execPath, ["--test-reporter=tap", entry!], { encoding: "utf8", env });
  assert.deepEqual(
    output.split("\n").filter((line) => /^(one|two) /.test(line)),
    ["one", "two"].flatMap((name) => ["before", "each", "test", "after"].map((what) => `${name} ${what}`)),
  );
  assert.match(output, /^# Subtest: server\/test\/one\.test\.ts$/m);
});

test("every file is in exactly one process, and a file that needs its own has it", () => {
  const files = ["a", "b", "c", "api-malformed"].map(testFile);
  const started = shareProcesses(root, files, 2, join(root, "made"));
  assert.deepEqual(started, [files[3], join(root, "made/process-1.mjs"), join(root, "made/process-2.mjs")]);
  assert.equal(shareProcesses(root, files.slice(0, 1), 2, join(root, "made")).length, 1);
});
