/**
 * `npm test`: runs every test file, each in a process of its own, and ends with node's summary.
 *
 *   npm test                                     everything
 *   npm test -- server/test/claims.test.ts       one file; a folder or a part of a path selects several
 *   npm test -- --test-name-pattern='last use'   flags go to node in each test process
 *
 * `MUSTER_TEST_DATABASE_URL` makes the harness use that PostgreSQL instead of the embedded database (`tools/with-postgres`).
 * With `CI=true` a skipped test fails the run: the machine that proves the project must have everything the tests use.
 */
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { selectTests } from "./test-run/select.ts";

const TEST_TIMEOUT_MS = 60_000;
/**
 * A test process is over before it has paid to compile the embedded database's hottest functions a second time, better;
 * the service in production, which lives longer, does so.
 */
const COMPILE_ONCE = "--wasm-tiering-budget=2000000000";

const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  console.error(
    `Node 24 is needed, this is ${process.version}; run the tests through npm (npm test), which brings it along`,
  );
  process.exit(1);
}

const root = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const files = selectTests(
  root,
  args.filter((arg) => !arg.startsWith("-")),
);
const flags = args.filter((arg) => arg.startsWith("-"));
const reporter = new spec();
// A fifth of what a small test file takes is compiling the sources: each process finds here what another made of them.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/node");

const events = run({
  files,
  cwd: root,
  concurrency: Math.min(availableParallelism(), 8),
  execArgv: [
    COMPILE_ONCE,
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
