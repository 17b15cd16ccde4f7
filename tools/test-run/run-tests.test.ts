import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "muster-run-tests-"));
after(() => rmSync(folder, { recursive: true }));

const RUNNER = pathToFileURL(join(import.meta.dirname, "run-tests.ts")).href;
/** Returns code that runs `what` the first time only; `what` needs a unique name. */
const once = (what: string, act: string) =>
  `if (!existsSync("${what}.ran")) { writeFileSync("${what}.ran", ""); ${act} }`;
const passing = (name: string) => `test(${JSON.stringify(name)}, () => {});`;
const flaky = (name: string) => `test("${name}", () => { ${once(name, `throw new Error("planted in ${name}");`)} });`;
const failing = (name: string) => `test("${name}", () => { throw new Error("planted in ${name}"); });`;

interface Planted {
  /** Test code by file name. */
  files: Record<string, string>;
  args?: string[];
  isCi?: boolean;
}

/** Runs planted test files as `npm test` does, in a separate project. */
async function runPlanted({ files, args = [], isCi = true }: Planted) {
  const root = mkdtempSync(join(folder, "project-"));
  mkdirSync(join(root, "server/test"), { recursive: true });
  const head = `import { before, describe, test } from "node:test"; import { existsSync, writeFileSync } from "node:fs";\n`;
  for (const [name, code] of Object.entries(files))
    writeFileSync(join(root, `server/test/${name}.test.ts`), head + code);
  const run = JSON.stringify({
    root,
    args,
    isCi,
    database: "a planted database",
    limits: { openMs: 1_500, stillMs: 4_000 },
  });
  const code = `import { runTests } from "${RUNNER}"; process.exitCode = await runTests(${run});`;
  const main = join(root, "main.mjs");
  writeFileSync(main, code);
  // Variables of this test's own run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [main], { cwd: root, env });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const exitCode = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once("exit", resolve)));
  const note = join(root, "flaky-tests.md");
  const counts = [...output.matchAll(/^ℹ (pass|fail) (\d+)$/gm)].map(([, name, count]) => `${name} ${count}`);
  return { exitCode, counts, output: output + errors, note: existsSync(note) ? readFileSync(note, "utf8") : undefined };
}

for (const args of [[], ["server/test/one.test.ts", "server/test/two.test.ts"]]) {
  const how = args.length === 0 ? "of all files" : "of named files";

  test(`in a CI run ${how} a test that fails once is repeated, printed and noted as flaky, and the run passes`, async () => {
    const files = {
      one: passing("first") + flaky("sometimes") + passing("last"),
      two: `describe("suite", () => { ${passing("inner")} });`,
    };
    const { exitCode, counts, output, note } = await runPlanted({ files, args });
    assert.equal(exitCode, 0, output);
    assert.deepEqual(counts, ["pass 4", "fail 0"], output);
    assert.match(output, /^flaky server\/test\/one\.test\.ts: sometimes$/m);
    assert.doesNotMatch(output, /failing tests/);
    assert.match(
      note!,
      /^## server\/test\/one\.test\.ts: sometimes$[^#]*On a planted database[^#]*Error: planted in sometimes/m,
    );
  });
}

test("a test that fails twice fails the run with its error, and is not noted as flaky", async () => {
  const files = { one: failing("always") + passing("fine"), two: passing("other") };
  const { exitCode, counts, output, note } = await runPlanted({ files });
  assert.deepEqual([exitCode, counts, note], [1, ["pass 2", "fail 1"], undefined], output);
  assert.match(output, /✖ failing tests:\s+✖ server\/test\/one\.test\.ts: always\s+Error: planted in always/);
});

test("three flaky tests pass, and a fourth fails the run; each is noted", async () => {
  const names = ["a", "b", "c", "d"];
  const some = (count: number) => ({ one: names.slice(0, count).map(flaky).join("") });
  const three = await runPlanted({ files: some(3) });
  assert.deepEqual([three.exitCode, three.counts], [0, ["pass 3", "fail 0"]], three.output);
  const four = await runPlanted({ files: some(4) });
  assert.deepEqual([four.exitCode, four.counts], [1, ["pass 0", "fail 4"]], four.output);
  assert.match(four.output, /4 flaky tests: at most 3 in a run/);
  for (const name of names) assert.match(four.note!, new RegExp(`^## server/test/one\\.test\\.ts: ${name}$`, "m"));
});

test("a file whose process ends before its tests is repeated, even after exit code 0, and the files after it run", async () => {
  const rest = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`z${at}`, passing(`rest ${at}`)]));
  for (const end of ["process.exit(3);", "process.exit(0);", 'process.kill(process.pid, "SIGKILL");']) {
    const crashes = (name: string) =>
      `${passing(`${name} before`)} test("${name}", () => { ${once(name, end)} }); ${passing(`${name} after`)}`;
    const files = { a: crashes("a"), b: crashes("b"), c: crashes("c"), ...rest };
    const { exitCode, counts, output, note } = await runPlanted({ files });
    assert.deepEqual([exitCode, counts], [0, ["pass 14", "fail 0"]], output);
    assert.equal(note!.match(/^## .*: the file as a whole$/gm)?.length, 3);
  }
});

test("a file that always ends its process, or cannot be loaded or prepared, fails the run", async () => {
  const files = {
    crash: `${passing("before")} test("crash", () => process.exit(0));`,
    load: 'throw new Error("planted at load");',
    prepare: `before(() => { throw new Error("planted in a hook"); }); ${passing("never")}`,
    fine: passing("fine"),
  };
  const { exitCode, counts, output, note } = await runPlanted({ files });
  assert.equal(exitCode, 1);
  assert.match(counts.join(), /^pass 1,fail [34]$/, output);
  assert.equal(note, undefined);
  for (const name of ["crash", "load", "prepare"])
    assert.match(output, new RegExp(`✖ server/test/${name}\\.test\\.ts: `), output);
});

test("a test that hangs once is flaky, whether it waits forever or blocks the event loop; one that always hangs fails", async () => {
  const hangs = {
    wait: "await new Promise((resolve) => setInterval(() => {}, 1_000));",
    loop: "for (;;);",
  };
  for (const [name, hang] of Object.entries(hangs)) {
    const flaky = { one: `test("${name}", async () => { ${once(name, hang)} });${passing("other")}` };
    const limits = { args: ["--test-timeout=1000"] };
    const passed = await runPlanted({ files: flaky, ...limits });
    assert.deepEqual([passed.exitCode, passed.counts], [0, ["pass 2", "fail 0"]], passed.output);
    const failed = await runPlanted({ files: { one: `test("${name}", async () => { ${hang} });` }, ...limits });
    assert.deepEqual([failed.exitCode, failed.counts], [1, ["pass 0", "fail 1"]], failed.output);
  }
});

test("a process that keeps running after its tests have passed fails the run", async () => {
  const { exitCode, counts, output } = await runPlanted({
    files: { one: `test("leaves a timer", () => void setInterval(() => {}, 1_000));`, two: passing("fine") },
  });
  assert.deepEqual([exitCode, counts], [1, ["pass 2", "fail 0"]], output);
  assert.match(output, /✖ a process has failed after its tests/);
});

test("if many files fail, none is repeated, and a skipped test fails the run", async () => {
  const names = Array.from({ length: 11 }, (_, at) => `f${at}`);
  const many = await runPlanted({ files: Object.fromEntries(names.map((name) => [name, flaky(name)])) });
  assert.deepEqual([many.exitCode, many.counts, many.note], [1, ["pass 0", "fail 11"], undefined], many.output);
  assert.match(many.output, /11 files failed: too many to be repeated/);
  const skipped = await runPlanted({ files: { one: 'test.skip("later", () => {});' } });
  assert.equal(skipped.exitCode, 1);
  assert.match(skipped.output, /1 skipped: in CI every test must run/);
});

test("outside of CI a failure fails immediately, without a repetition or a note", async () => {
  for (const args of [[], ["server/test/one.test.ts"]]) {
    const files = { one: flaky("sometimes") + passing("fine") };
    const { exitCode, counts, output, note } = await runPlanted({ files, args, isCi: false });
    assert.deepEqual([exitCode, counts, note], [1, ["pass 1", "fail 1"], undefined], output);
  }
});
