/**
 * `npm run mutation -- codec`: changes one expression at a time in the files of a folder (`folders.ts`), runs the unit
 * tests that reach it, and prints the mutants that no test notices. Without a name it does all folders.
 *
 * A mutant is killed if its tests take 10 s of CPU or get stuck. `survivors.tsv` explains mutants that need no test.
 */
import { type ChildProcess, fork } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import type { Answer, Request, Task } from "./child.ts";
import { FOLDERS, type Folder } from "./folders.ts";
import type { Mutant } from "./instrument.ts";

const ROOT = dirname(dirname(import.meta.dirname));
/** Loading runs all tests once. */
const MOST_CPU_S = { load: 60, attempt: 10 };
/** A process that waits for nothing uses no CPU in this many seconds. */
const STUCK_S = 60;

type Loaded = Extract<Answer, { loaded: Mutant[] }>;
type Fate = "killed" | "survived" | "not reached";

setPriority(15);
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : Object.keys(FOLDERS)) {
  const folder = FOLDERS[name];
  if (folder === undefined) throw new Error(`no folder ${name}; there are ${Object.keys(FOLDERS).join(", ")}`);
  print(name, await fatesIn(folder));
}

async function fatesIn(folder: Folder): Promise<Map<Mutant, Fate>> {
  const paths = (globs: readonly string[]) =>
    globSync([...globs], { cwd: ROOT })
      .map((file) => join(ROOT, file))
      .sort();
  const without = new Set(paths([...folder.without, "**/*.test.ts"]));
  const task = {
    root: ROOT,
    files: paths(folder.files).filter((each) => !without.has(each)),
    tests: paths(folder.tests),
  };
  let runner = await startRunner({ ...task, activeFromStart: 0 });
  if (runner.loaded.failed !== undefined) throw new Error(`without a mutant: ${runner.loaded.failed}`);
  const { loaded: mutants, reachedByLoading, reaching } = runner.loaded;
  const byLoading = new Set(reachedByLoading);

  const fates = new Map<Mutant, Fate>();
  for (const mutant of mutants) {
    let fate: Fate = reaching[mutant.id] || byLoading.has(mutant.id) ? "survived" : "not reached";
    if (reaching[mutant.id]) {
      const answer = await runner.ask({ attempt: mutant.id });
      const isKilled = answer === undefined || ("attempt" in answer && answer.killedBy !== undefined);
      if (answer === undefined || ("attempt" in answer && !answer.isClean)) {
        runner.end();
        runner = await startRunner({ ...task, activeFromStart: 0, reaching });
      }
      if (isKilled) fate = "killed";
    }
    if (fate === "survived" && byLoading.has(mutant.id)) {
      const fresh = await startRunner({ ...task, activeFromStart: mutant.id });
      if (fresh.loaded.failed !== undefined) fate = "killed";
      fresh.end();
    }
    fates.set(mutant, fate);
    if (mutant.id % 100 === 0) console.error(`${mutant.id} of ${mutants.length}`);
  }
  runner.end();
  return fates;
}

interface Runner {
  loaded: Loaded;
  /** Resolves with undefined if there is no answer in time. */
  ask(request: Request): Promise<Answer | undefined>;
  end(): void;
}

async function startRunner(task: Task): Promise<Runner> {
  const child = fork(join(import.meta.dirname, "child.ts"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ask = (request: Request) => askChild(child, request);
  const loaded = ((await ask({ load: task })) ?? {
    loaded: [],
    reachedByLoading: [],
    reaching: {},
    failed: "it does not end",
  }) as Loaded;
  return { loaded, ask, end: () => void child.kill("SIGKILL") };
}

function askChild(child: ChildProcess, request: Request): Promise<Answer | undefined> {
  const most = "load" in request ? MOST_CPU_S.load : MOST_CPU_S.attempt;
  const start = cpuSecondsOf(child);
  let [last, stuck] = [start, 0];
  return new Promise((resolve) => {
    const finish = (answer?: Answer) => {
      clearInterval(timer);
      child.off("message", finish).off("exit", ended);
      resolve(answer);
    };
    const ended = () => finish();
    const timer = setInterval(() => {
      const now = cpuSecondsOf(child);
      stuck = now === last ? stuck + 1 : 0;
      last = now;
      if (now - start > most || stuck > STUCK_S) finish();
    }, 1000);
    child.on("message", finish).on("exit", ended);
    child.send(request);
  });
}

/** Returns the CPU time of a process (Linux), which a busy machine does not stretch. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function print(name: string, fates: Map<Mutant, Fate>): void {
  const explained = new Set(
    readFileSync(join(import.meta.dirname, "survivors.tsv"), "utf8")
      .split("\n")
      .map((line) => line.split("\t").slice(0, 3).join("\t")),
  );
  const files = Map.groupBy(fates, ([{ file }]) => file);
  for (const [file, all] of files) {
    console.log(`${file}: ${scoreOf(all.map(([, fate]) => fate))}`);
    for (const [{ line, from, to }, fate] of all) {
      if (fate === "killed" || explained.has([file, from, to].join("\t"))) continue;
      console.log(`  ${fate}  line ${line}  ${from}  →  ${to}`);
    }
  }
  console.log(`\n${name}: ${scoreOf([...fates.values()])}\n`);
}

function scoreOf(fates: Fate[]): string {
  const killed = fates.filter((each) => each === "killed").length;
  const missed = fates.filter((each) => each === "not reached").length;
  const share = fates.length === 0 ? 100 : (100 * killed) / fates.length;
  return `${share.toFixed(1)} % of ${fates.length} killed, ${missed} not reached`;
}
