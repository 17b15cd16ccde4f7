import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { ALONE, LONGEST, shareProcesses } from "./share.ts";

const root = mkdtempSync(join(tmpdir(), "muster-share-"));
after(() => rmSync(root, { recursive: true }));

/** Returns a test file whose hooks and test print their names as they run. */
function testFile(name: string): string {
  const path = join(root, `server/test/${name}.test.ts`);
  mkdirSync(dirname(path), { recursive: true });
  const print = (what: string) => `() => console.log(${JSON.stringify(`${name} ${what}`)})`;
  const source = `import { after, before, beforeEach, test } from "node:test";
    before(${print("before")}); beforeEach(${print("each")}); after(${print("after")}); test("t", ${print("test")});`;
  writeFileSync(path, source);
  return path;
}

/** Returns the output of a process, including that of failing tests. */
function outputOf(entry: string): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) =>
    execFile(process.execPath, ["--test-reporter=tap", entry], { env }, (_error, stdout) => resolve(stdout)),
  );
}

test("the files that are named run: none of them is gone", () => {
  const repository = dirname(dirname(import.meta.dirname));
  const gone = [...ALONE.keys(), ...LONGEST].filter((file) => !existsSync(join(repository, file)));
  assert.deepEqual(gone, []);
});

test("files that share a process are suites whose hooks run only for their own tests", async () => {
  const [entry, ...more] = shareProcesses(root, [testFile("one"), testFile("two")], 1, join(root, "made"));
  assert.deepEqual(more, []);
  const output = await outputOf(entry!);
  assert.deepEqual(
    output.split("\n").filter((line) => /^(one|two) /.test(line)),
    ["one", "two"].flatMap((name) => ["before", "each", "test", "after"].map((what) => `${name} ${what}`)),
  );
  assert.match(output, /^# Subtest: server\/test\/one\.test\.ts$/m);
});

test("every file runs in exactly one process, and a file that needs its own has it", async () => {
  const files = ["a", "b", "c", "d", "api/front-door/malformed"].map(testFile);
  const [alone, ...entries] = shareProcesses(root, files, 2, join(root, "shared"));
  assert.deepEqual([alone, entries.length], [files[4], 2]);
  const outputs = await Promise.all(entries.map(outputOf));
  for (const name of ["a", "b", "c", "d"])
    assert.deepEqual(outputs.map((output) => output.split(`${name} test\n`).length - 1).sort(), [0, 1], name);
  assert.equal(shareProcesses(root, files.slice(0, 1), 2, join(root, "one")).length, 1);
});

test("a file that cannot be loaded or prepared fails, and the files after it still run", async () => {
  const [broken, unprepared] = [testFile("broken"), testFile("unprepared")];
  writeFileSync(broken, 'throw new Error("planted");');
  writeFileSync(
    unprepared,
    'import { before, test } from "node:test"; before(() => { throw new Error("planted"); }); test("t", () => {});',
  );
  const [entry] = shareProcesses(root, [broken, unprepared, testFile("last")], 1, join(root, "failing"));
  const output = await outputOf(entry!);
  assert.match(output, /^not ok 1 - server\/test\/broken/m);
  assert.match(output, /^not ok 2 - server\/test\/unprepared/m);
  assert.match(output, /^last test$/m);
});
