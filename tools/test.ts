/**
 * `npm test`: runs every test file, and ends with node's summary. In a run of all tests a few processes share the
 * files (`test-run/share.ts`); a file that is named has a process of its own.
 *
 *   npm test                                     everything
 *   npm test -- server/test/tickets.test.ts      one file; a folder or a part of a path selects several
 *   npm test -- --test-name-pattern='last use'   flags go to node in each test process
 *
 * `MUSTER_TEST_DATABASE_URL` makes the harness use that PostgreSQL instead of the embedded database (`tools/with-postgres`).
 * With `CI=true` a skipped test fails the run: CI must have every program that the tests use.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { selectTests } from "./test-run/select.ts";
import { shareProcesses } from "./test-run/share.ts";
import { COLLECT_LATE, COMPILE_HOT, COMPILE_ONCE } from "./test-run/v8-flags.ts";

/** No measure of speed: a machine that is busy with other work may take ten times as long as an idle one. */
const TEST_TIMEOUT_MS = 240_000;
const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  console.error(
    `Node 24 is needed, this is ${process.version}; run the tests through npm (npm test), which brings it along`,
  );
  process.exit(1);
}

// One more than cores, since some processes wait for time to pass or for a service in another process.
const CONCURRENCY = Math.min(availableParallelism() + 1, 8);

const root = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith("-"));
const selected = selectTests(root, wanted);
const folder = mkdtempSync(join(tmpdir(), "muster-tests-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
const isWhole = wanted.length === 0;
const files = isWhole ? shareProcesses(root, selected, CONCURRENCY, folder) : selected;
const flags = args.filter((arg) => arg.startsWith("-"));
const reporter = new spec();
// Processes share their compiled sources, also those that `server/bin/muster.mjs` starts.
process.env.NODE_COMPILE_CACHE ??= join(root, "server/node_modules/.cache/node");

const events = run({
  files,
  cwd: root,
  concurrency: CONCURRENCY,
  execArgv: [
    ...(isWhole ? [COMPILE_HOT, ...COLLECT_LATE] : [COMPILE_ONCE]),
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--import=${import.meta.dirname}/test-run/no-leaks.ts`,
    ...flags,
  ],
});
events.on("test:summary", ({ file, success, counts }) => {
  if (file !== undefined) return;
  if (!success) process.exitCode = 1;
  if (process.env.CI === "true" && counts.skipped > 0) {
    process.exitCode = 1;
    reporter.once("end", () => console.error(`${counts.skipped} skipped: in CI every test must run`));
  }
});
events.compose(reporter).pipe(process.stdout);
