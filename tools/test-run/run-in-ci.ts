import { join, relative } from "node:path";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { closingOf } from "./closing.ts";
import { type Flaky, recordFlaky, textOf } from "./flaky-note.ts";
import { failuresOf, Results } from "./results.ts";
import { isAlone, makeShare, type Share } from "./share.ts";

export interface CiRun {
  root: string;
  /** Absolute paths. */
  files: readonly string[];
  /** Whether a few processes share the files; otherwise each file has its own process. */
  isWhole: boolean;
  concurrency: number;
  /** Options of node in each test process. */
  execArgv: string[];
  /** An empty folder for entry files. */
  folder: string;
  /** The file in which flaky tests are noted. */
  note: string;
  /** The database on which the tests run, for the note. */
  database: string;
}

/** If more files fail, something else is wrong and none is repeated. */
const MOST_REPEATED = 10;
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/**
 * Runs tests as CI does. A file with a failed test runs once more, alone, in a fresh process. If it passes then, the
 * test is printed and noted as flaky, and the run continues; more than three flaky tests fail it.
 *
 * @returns the exit code
 */
export async function runInCi(ci: CiRun): Promise<number> {
  const begun = performance.now();
  const results = new Results();
  const problems = await runAll(ci, results);
  const failing = [...results.files].filter(([file]) => results.hasFailed(file));
  const flaky: Flaky[] = [];
  if (failing.length > MOST_REPEATED) problems.push(`${failing.length} files failed: too many to be repeated`);
  else
    for (const [file, result] of failing) {
      console.log(`\n▶ repeated alone: ${file}`);
      for (const { name, error } of failuresOf(result)) console.log(`  failed before: ${name}\n${textOf(error)}`);
      if (await passesAlone(ci, file, results)) flaky.push(...failuresOf(result).map((test) => ({ file, test })));
    }
  recordFlaky(ci.note, flaky, ci.database);
  const { exitCode, lines } = closingOf({ results, flaky, problems, durationMs: performance.now() - begun });
  console.log(lines.join("\n"));
  return exitCode;
}

/**
 * Runs every file once, including those that a process left when it ended early.
 * @returns problems of processes
 */
async function runAll(ci: CiRun, results: Results): Promise<string[]> {
  const problems: string[] = [];
  let rest = ci.files;
  for (let round = 1; rest.length > 0; round++) {
    const folder = join(ci.folder, `round-${round}`);
    const own = ci.isWhole ? rest.filter((file) => isAlone(ci.root, file)) : rest;
    const shared = rest.filter((file) => !own.includes(file));
    const shares = [
      ...own.map((file, at) => makeShare(ci.root, [file], 1, join(folder, `own-${at}`))),
      makeShare(ci.root, shared, ci.concurrency, join(folder, "shared")),
    ];
    problems.push(...(await play(ci, shares, results)));
    const left = shares.flatMap((share) => share.progress()).filter(({ entry }) => entry === undefined);
    if (left.length === rest.length) return [...problems, "the test processes do not start"];
    rest = left.map(({ file }) => file);
  }
  return problems;
}

async function passesAlone(ci: CiRun, file: string, results: Results): Promise<boolean> {
  const again = new Results();
  const folder = join(ci.folder, "repeated", file.replaceAll("/", "-"));
  const share = makeShare(ci.root, [join(ci.root, file)], 1, folder);
  const problems = await play(ci, [share], again);
  if (!again.files.has(file)) again.failFile(file, "nothing was reported");
  for (const problem of problems) again.failFile(file, problem);
  results.replaceBy(again);
  return !again.hasFailed(file);
}

/**
 * Runs the processes of the shares. A file that a process has begun and not ended has failed.
 * @returns problems of processes
 */
async function play(
  { root, concurrency, execArgv }: CiRun,
  shares: readonly Share[],
  results: Results,
): Promise<string[]> {
  const reporter = new spec();
  reporter.pipe(process.stdout, { end: false });
  const files = shares.flatMap(({ entries }) => entries);
  for await (const event of run({ files, cwd: root, concurrency, execArgv })) {
    results.add(event);
    if (!isClosing(event)) reporter.write(event);
  }
  const taken = shares.flatMap((share) => share.progress()).filter(({ entry }) => entry !== undefined);
  for (const { file, entry } of taken.filter(({ ended }) => !ended))
    results.failFile(relative(root, file), results.processes.get(entry!) ?? "its process ended before its tests");
  // Whatever a failed test has left open fails its process, too: the repetition decides.
  const explained = new Set(
    taken.filter(({ file }) => results.hasFailed(relative(root, file))).map(({ entry }) => entry),
  );
  return [...results.processes]
    .filter(([entry]) => files.includes(entry) && !explained.has(entry))
    .map(([entry, error]) => `a process has failed after its tests (${relative(root, entry)}): ${textOf(error)}`);
}

/**
 * Returns whether the reporter prints it at the end of a run: counts and failures, which are valid only after the
 * repetition.
 */
function isClosing({ type, data }: TestEvent): boolean {
  return type === "test:summary" || (type === "test:diagnostic" && data.nesting === 0 && COUNT.test(data.message));
}
