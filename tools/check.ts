/**
 * `npm run check`: verifies every requirement of a commit, fast steps first, one line per step, and stops at the first
 * failure. `npm run check -- --no-tests` omits the tests, and `npm run check -- --only=words` runs the steps whose name
 * contains the word.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findProgram } from "./go-programs.ts";
import { missingFromLock } from "./lockfile.ts";
import { type RuleCheck, ruleChecks } from "./rule-checks.ts";

const root = dirname(import.meta.dirname);
/** The programs that `npm run generate` runs. */
const GENERATORS = [
  "server/src/api/openapi/generate.ts",
  "tools/schema/generate.ts",
  "tools/limits/generate.ts",
  "tools/configuration/generate.ts",
  "tools/commands/generate.ts",
];

interface Step {
  name: string;
  /** @returns why the step cannot run on this machine */
  missing?: () => string | undefined;
  /** @returns the problems found, or an empty string */
  run: () => string;
}

const steps: Step[] = [
  { name: "lock file is complete", run: lockFile },
  { name: "format and lint", run: () => tool("biome", ["check", "--error-on-warnings", "."]) },
  ...ruleChecks.map((each) => ({ name: each.name, run: () => violationsOf(each) })),
  {
    name: "workflows",
    missing: () => (findProgram("actionlint") ? undefined : "no actionlint: run tools/go-programs actionlint"),
    run: () => tool(findProgram("actionlint")!, ["-no-color"]),
  },
  { name: "types", run: () => tool("tsc", ["-p", "."]) },
  { name: "types of the admin app", run: appTypes },
  {
    name: "generated files are current",
    run: () =>
      GENERATORS.map((each) => tool("node", [each, "--check"]))
        .join("\n")
        .trim(),
  },
  { name: "API of the last release", run: () => tool("node", ["tools/compatibility/released.ts"]) },
  { name: "admin app builds, and loads within its limit", run: () => tool("node", ["admin/tools/build.ts"]) },
];

const only = process.argv.find((arg) => arg.startsWith("--only="))?.slice("--only=".length);

for (const { name, run, missing } of steps.filter((step) => step.name.includes(only ?? ""))) {
  const reason = missing?.();
  if (reason !== undefined) {
    console.log(`- ${name}: skipped, ${reason}`);
    continue;
  }
  const started = performance.now();
  const wrong = run();
  console.log(`${wrong ? "✖" : "✔"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (wrong) {
    console.error(`\n${wrong}\n\ncheck failed: ${name}`);
    process.exit(1);
  }
}
if (only === undefined && !process.argv.includes("--no-tests")) {
  const { status } = spawnSync(process.execPath, [join(root, "tools/test.ts")], { cwd: root, stdio: "inherit" });
  if (status !== 0) console.error("\ncheck failed: tests");
  process.exitCode = status ?? 1;
}

/** Checks the app's types. Its client's types are generated, so they fit `openapi/admin.json` or the step fails. */
function appTypes(): string {
  return tool("node", ["admin/tools/generate-types.ts"]) || tool("tsc", ["-p", "admin"]);
}

/**
 * Runs a program of `node_modules/.bin`, or one that is named by its path.
 * @returns its output if it fails, else an empty string
 */
function tool(name: string, args: string[]): string {
  const program = name === "node" ? process.execPath : resolve(root, "node_modules/.bin", name);
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
  if (error) return `${name}: ${error.message}`;
  return status === 0 ? "" : `${stdout}${stderr}`.trim() || `${name} ended with ${status}`;
}

function lockFile(): string {
  const missing = missingFromLock(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  return missing.length > 0 ? `npm ci would refuse package-lock.json, which lacks ${missing.join(", ")}` : "";
}

function violationsOf({ check }: RuleCheck): string {
  return check(root)
    .map(({ file, line, rule, message }) => `${file}:${line}  ${rule}: ${message}`)
    .join("\n");
}
