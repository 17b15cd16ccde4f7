import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ruleChecks } from "./rule-checks.ts";
import { checkSizes } from "./sizes/sizes.ts";
import { checkCommitSubjects, subjectProblem } from "./wording/commit-subjects.ts";

const planted = join(import.meta.dirname, "fixtures", "planted");

/** Limits small enough for fixtures. */
const LIMITS = { fileLines: 60, testFileLines: 60, functionLines: 8, folderFiles: 5 };
/** Violations of folders and of a lock file, which have no comment that could announce them. */
const UNMARKED = [
  "server/src/devices:1 folders",
  "server/test/many:1 folders",
  "package-lock.json:7 licence",
  "package-lock.json:9 licence",
];

/** Returns the violations that fixtures announce: `// caught: rule, rule` at the end of each line that breaks one. */
function announced(): string[] {
  const lines = globSync("**/*.{ts,tsx,md,sql,yaml}", { cwd: planted }).flatMap((file) =>
    readFileSync(join(planted, file), "utf8")
      .split("\n")
      .flatMap((line, index) => rulesIn(line).map((rule) => `${file}:${index + 1} ${rule}`)),
  );
  return [...lines, ...UNMARKED];
}

function rulesIn(line: string): string[] {
  return /\/\/ caught: ([\w-]+(?:, [\w-]+)*)/.exec(line)?.[1]?.split(", ") ?? [];
}

test("every planted violation is caught on its line, and nothing else", () => {
  const violations = [
    ...ruleChecks.filter(({ name }) => name !== "sizes").flatMap(({ check }) => check(planted)),
    ...checkSizes(planted, LIMITS),
  ];
  const caught = violations.map((each) => `${each.file}:${each.line} ${each.rule}`);
  assert.deepEqual(caught.sort(), announced().sort());
});

test("the fixtures break every rule at least once", () => {
  const broken = new Set(announced().map((each) => each.split(" ")[1]!));
  assert.deepEqual(
    [...broken].sort(),
    // biome-ignore format: one list
    ["catalogue", "chance", "citation", "clause", "columns", "cycle", "direction", "environment", "facade", "folder", "folders", "leaf", "licence", "opaque", "owner", "package", "phrases", "rights", "sentence", "size", "sql", "store", "sub-folders", "test-code", "time", "twisted", "use-case", "words", "workspace"],
  );
});

test("the subject of every commit after the given one is checked", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "muster-subjects-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" });
  const commit = (subject: string) => git("commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", subject);
  const problems = (before?: string) =>
    checkCommitSubjects(folder, before).map((each) => `${each.rule}: ${each.message}`);
  assert.deepEqual(problems(), [], "a folder without a history");
  writeFileSync(join(folder, ".git"), "gitdir: absent\n");
  assert.throws(() => problems(), /git log: /, "a history that git cannot read");
  rmSync(join(folder, ".git"));
  git("init", "--quiet");
  assert.deepEqual(problems(), [], "a history without commits");
  commit("An early subject");
  const early = git("rev-parse", "HEAD").trim();
  commit("docs: described the frames");
  commit("docs: name the frames");
  const described = 'subject: "described" is not an imperative: docs: described the frames';
  assert.deepEqual(problems(early), [described]);
  assert.deepEqual(problems(early), [described], "the second time, too");
  const earlier = "subject: not of the form `area: imperative verb …`: An early subject";
  assert.deepEqual(problems("f".repeat(40)), [described, earlier], "a clone without the given commit");
});

test("the subject of a commit names its area and begins with an imperative, in 72 characters", () => {
  for (const subject of [
    "db: seed the baseline",
    "docs, tools: need no list",
    "server/test: move the harness",
    `docs: add ${"x".repeat(62)}`,
  ])
    assert.equal(subjectProblem(subject), undefined, subject);
  for (const subject of [
    "Add a page",
    "docs: Add a page",
    "docs: the page of limits",
    "docs: adding a page",
    "docs:add a page",
    `docs: add ${"x".repeat(63)}`,
  ])
    assert.notEqual(subjectProblem(subject), undefined, subject);
});
