import type { TestEvent } from "node:test/reporters";

export interface TestResult {
  /** The name with the enclosing suites. */
  name: string;
  state: "passed" | "failed" | "skipped" | "todo";
  error?: unknown;
}

/** The results that one test file has reported. */
export interface FileResult {
  tests: TestResult[];
  suites: number;
}

/** Collects the results of a run by file. Every file is a suite at the top level, named by its path below the root. */
export class Results {
  readonly files = new Map<string, FileResult>();
  /** Processes whose exit differs from their tests' results, by entry file. */
  readonly processes = new Map<string, unknown>();
  #path: string[] = [];

  add({ type, data }: TestEvent): void {
    if (type === "test:start") this.#path = [...this.#path.slice(0, data.nesting), data.name];
    if (type !== "test:pass" && type !== "test:fail") return;
    // A process that reports itself: one that has failed, or in which no test has reported.
    if (data.nesting > 0 || data.name !== data.file) this.#report(type, data);
    else if (type === "test:fail") this.processes.set(data.name, data.details.error);
  }

  /** The failure of a file as a whole, in place of its tests' results. */
  failFile(file: string, error: unknown): void {
    this.files.set(file, { tests: [{ name: "the file as a whole", state: "failed", error }], suites: 0 });
  }

  hasFailed(file: string): boolean {
    const result = this.files.get(file);
    return result !== undefined && failuresOf(result).length > 0;
  }

  /** Takes over the results that the files of another run have reported. */
  replaceBy(other: Results): void {
    for (const [file, result] of other.files) this.files.set(file, result);
  }

  #report(type: string, { details, name, nesting, skip, todo }: Reported): void {
    const file = this.#fileOf(this.#path[0]!);
    const isSuite = details.type === "suite";
    if (isSuite && nesting > 0) file.suites += 1;
    const { error } = details;
    // A suite itself fails if a hook or its own code has failed.
    if (isSuite && (type === "test:pass" || isOfSubtests(error))) return;
    const state = type === "test:pass" ? "passed" : "failed";
    const path = nesting === 0 ? "the file as a whole" : [...this.#path.slice(1, nesting), name].join(" > ");
    if (skip !== undefined) file.tests.push({ name: path, state: "skipped" });
    else if (todo !== undefined) file.tests.push({ name: path, state: "todo" });
    else file.tests.push({ name: path, state, error });
  }

  #fileOf(name: string): FileResult {
    const file = this.files.get(name) ?? { tests: [], suites: 0 };
    this.files.set(name, file);
    return file;
  }
}

function isOfSubtests(error: Error | undefined): boolean {
  return error !== undefined && "failureType" in error && error.failureType === "subtestsFailed";
}

interface Reported {
  name: string;
  nesting: number;
  skip?: string | boolean | undefined;
  todo?: string | boolean | undefined;
  details: { type?: string | undefined; error?: Error };
}

export function failuresOf({ tests }: FileResult): TestResult[] {
  return tests.filter(({ state }) => state === "failed");
}
