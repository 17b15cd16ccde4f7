import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { runInCi } from "./run-in-ci.ts";
import { selectTests } from "./select.ts";
import { shareProcesses } from "./share.ts";
import { COLLECT_LATE, COMPILE_HOT, COMPILE_ONCE } from "./v8-flags.ts";

/** A timeout that does not measure speed: a busy machine may take ten times as long as an idle one. */
const TEST_TIMEOUT_MS = 240_000;
// One more than cores, since some processes wait for time to pass or for a service in another process.
const CONCURRENCY = Math.min(availableParallelism() + 1, 8);

export interface TestRun {
  root: string;
  /** Files, folders and parts of paths that select tests, and flags that go to node in each test process. */
  args: readonly string[];
  /** Whether a failure is repeated and a skipped test fails the run. */
  isCi: boolean;
  /** The database on which the tests run, for the note of flaky tests. */
  database: string;
  /**
   * Milliseconds after which a process ends that keeps running after its tests, or in CI one whose event loop is
   * blocked.
   */
  limits?: { openMs: number; stillMs: number } | undefined;
}

/**
 * Runs the selected tests and prints their reports.
 * @returns the exit code
 * @throws Error for an argument that selects nothing
 */
export async function runTests({ root, args, isCi, database, limits }: TestRun): Promise<number> {
  const wanted = args.filter((arg) => !arg.startsWith("-"));
  const flags = args.filter((arg) => arg.startsWith("-"));
  const files = selectTests(root, wanted);
  const isWhole = wanted.length === 0;
  const execArgv = [
    ...(isWhole ? [COMPILE_HOT, ...COLLECT_LATE] : [COMPILE_ONCE]),
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    loaded("no-leaks.ts", limits?.openMs),
    ...(isCi ? [loaded("stop-loops.ts", limits?.stillMs)] : []),
    ...flags,
  ];
  const folder = mkdtempSync(join(tmpdir(), "muster-tests-"));
  try {
    const common = { root, files, isWhole, concurrency: CONCURRENCY, execArgv, folder };
    if (isCi) return await runInCi({ ...common, note: join(root, "flaky-tests.md"), database });
    return await runOnce(common);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function loaded(module: string, ms: number | undefined): string {
  const url = new URL(module, import.meta.url);
  if (ms !== undefined) url.searchParams.set("ms", String(ms));
  return `--import=${url.href}`;
}

interface OneRun {
  root: string;
  files: string[];
  isWhole: boolean;
  concurrency: number;
  execArgv: string[];
  folder: string;
}

/** Runs tests outside of CI, where a failure fails. */
async function runOnce({ root, files, isWhole, concurrency, execArgv, folder }: OneRun): Promise<number> {
  const entries = isWhole ? shareProcesses(root, files, concurrency, folder) : files;
  const events = run({ files: entries, cwd: root, concurrency, execArgv });
  let exitCode = 0;
  events.on("test:summary", ({ file, success }) => {
    if (file === undefined && !success) exitCode = 1;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  return exitCode;
}
