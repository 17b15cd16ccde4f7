/**
 * A process that has loaded the tests of one folder and the mutants of its files, and tries mutants on request. It is
 * ended by its parent when a mutant does not end.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { instrument, type Mutant } from "./instrument.ts";
import { failureOf, preparations, registered } from "./registered-tests.ts";

export interface Task {
  root: string;
  /** Absolute paths. */
  files: string[];
  tests: string[];
  /** The mutant that is active from the start, 0 for none. */
  activeFromStart: number;
  /** The tests that reach each mutant, if an earlier process has found out; without it all tests run once. */
  reaching?: Reaching;
}

/** The indexes of the tests that reach a mutant, fastest first. */
export type Reaching = Record<number, number[]>;

export type Request = { load: Task } | { attempt: number };

export type Answer =
  | { loaded: Mutant[]; reachedByLoading: number[]; reaching: Reaching; failed: string | undefined }
  | { attempt: number; killedBy: string | undefined; isClean: boolean };

/**
 * Ends a property test after a second, and at its first failure, instead of looking for the smallest example. Fewer
 * runs notice fewer mutants, so the score is a lower bound.
 */
fc.configureGlobal({ interruptAfterTimeLimit: 1_000, endOnFailure: true });

let active = 0;
let reached = new Set<number>();
let reaching: Reaching = {};
let stray: string | undefined;

const globals = globalThis as unknown as { __mutant: (id: number) => boolean };
globals.__mutant = (id) => {
  reached.add(id);
  return id === active;
};
for (const event of ["unhandledRejection", "uncaughtException"])
  process.on(event, (reason) => {
    stray = String(reason);
  });
process.on("message", (request: Request) => {
  const answer = "load" in request ? load(request.load) : attempt(request.attempt);
  void answer.then((each) => process.send!(each));
});

async function load({ root, files, tests, activeFromStart, reaching: known }: Task): Promise<Answer> {
  const mutants: Mutant[] = [];
  const codes = new Map<string, string>();
  for (const file of files) {
    const done = instrument(relative(root, file), readFileSync(file, "utf8"), mutants.length + 1);
    codes.set(pathToFileURL(file).href, done.code);
    mutants.push(...done.mutants);
  }
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "node:test"
        ? next(new URL("./registered-tests.ts", import.meta.url).href, context)
        : next(specifier, context),
    load: (url, context, next) => {
      const source = codes.get(url);
      return source === undefined ? next(url, context) : { format: "module-typescript", source, shortCircuit: true };
    },
  });
  active = activeFromStart;
  let failed: string | undefined;
  try {
    for (const file of tests) await import(pathToFileURL(file).href);
    for (const prepare of preparations) await prepare();
  } catch (error) {
    failed = `loading: ${error}`;
  }
  const reachedByLoading = [...reached];
  if (known !== undefined) reaching = known;
  else failed ??= await runAll();
  return { loaded: mutants, reachedByLoading, reaching, failed };
}

/** Runs every test once, and records which mutants it reaches. Resolves with the first failure. */
async function runAll(): Promise<string | undefined> {
  const times = new Map<number, number>();
  for (const [index, each] of registered.entries()) {
    reached = new Set();
    const start = process.hrtime.bigint();
    const failure = await failureOf(each);
    if (failure !== undefined) return `${each.name}: ${failure}`;
    times.set(index, Number(process.hrtime.bigint() - start));
    for (const id of reached) reaching[id] = [...(reaching[id] ?? []), index];
  }
  for (const tests of Object.values(reaching)) tests.sort((a, b) => times.get(a)! - times.get(b)!);
  return undefined;
}

/** Runs the tests that reach a mutant, until one fails. */
async function attempt(id: number): Promise<Answer> {
  for (const index of reaching[id] ?? []) {
    const each = registered[index]!;
    active = id;
    const failure = (await failureOf(each)) ?? stray;
    active = 0;
    stray = undefined;
    if (failure === undefined) continue;
    // A mutant may leave something behind in a cache: then the test fails without it, and this process is given up.
    return { attempt: id, killedBy: each.name, isClean: (await failureOf(each)) === undefined };
  }
  return { attempt: id, killedBy: undefined, isClean: true };
}
