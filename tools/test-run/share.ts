import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files that need a separate process, and the reasons. */
export const ALONE: ReadonlyMap<string, string> = new Map([
  ["server/test/api/front-door/malformed.test.ts", "measures the memory of its process"],
  ["server/test/documents/quickstarts.test.ts", "sets the trusted authorities of its process"],
]);

/** The longest-running files. They start first, so that no process is still busy with one at the end. */
export const LONGEST: readonly string[] = [
  "server/test/browser/demo.test.ts",
  "server/test/browser/every-screen.test.ts",
  "server/test/browser/people/second-factor.test.ts",
  "server/test/browser/first-device.test.ts",
  "server/test/browser/certificate-screens.test.ts",
  "server/test/browser/device-lists.test.ts",
  "server/test/browser/people/access-screens.test.ts",
  "server/test/browser/people/user-screens.test.ts",
  "server/test/browser/people/sign-in.test.ts",
  "server/test/browser/devices.test.ts",
  "server/test/broker/sessions/refusal-journal.test.ts",
  "server/test/crash/crash.test.ts",
  "server/test/crash/restart-process.test.ts",
  "server/test/authorities/maintenance.test.ts",
  "server/test/notifications/fairness.test.ts",
  "server/test/notifications/notifications.test.ts",
  "server/test/admin/audit.test.ts",
  "server/test/events/events.test.ts",
  "server/test/backup/backup.test.ts",
  "server/test/database/plans/statements.test.ts",
  "server/test/database/migrations.test.ts",
  "server/test/crash/master-key.test.ts",
  "agent/test/state.test.ts",
  "tools/test-run/run-tests.test.ts",
];

/**
 * Distributes the files of a whole run over a few processes. Loading the sources, compiling the embedded database and
 * warming up would take half the time of a process per file. Each file is a suite with its own hooks. A process takes
 * the next file when it has finished one, so that all processes end at about the same time.
 *
 * @param files absolute paths under `root`
 * @param folder an empty folder for the generated entry files
 * @returns the entry files to run instead of `files`, one for each process
 */
export function shareProcesses(root: string, files: readonly string[], processes: number, folder: string): string[] {
  const alone = files.filter((file) => isAlone(root, file));
  const shared = files.filter((file) => !alone.includes(file));
  return [...alone, ...makeShare(root, shared, processes, folder).entries];
}

/** Returns whether the file needs a separate process. */
export function isAlone(root: string, file: string): boolean {
  return ALONE.has(relative(root, file));
}

/** Test files that a few processes share. */
export interface Share {
  /** The files to pass to node, one for each process. */
  entries: string[];
  /** The progress of each file. */
  progress(): Progress[];
}

export interface Progress {
  /** Its absolute path. */
  file: string;
  /** The process that has taken it, by its entry file; `undefined` if none has. */
  entry: string | undefined;
  ended: boolean;
}

/**
 * Writes the entry files of processes that share `files`.
 * @param folder an empty folder for them
 */
export function makeShare(root: string, files: readonly string[], processes: number, folder: string): Share {
  const shared = files
    .map((file) => ({ file, name: relative(root, file), url: pathToFileURL(file).href }))
    .sort((one, other) => rank(one.name) - rank(other.name));
  mkdirSync(folder, { recursive: true });
  const entries = Array.from({ length: Math.min(processes, shared.length) }, (_, at) => {
    const path = join(folder, `process-${at + 1}.mjs`);
    const work = [shared.map(({ name, url }) => ({ name, url })), folder]
      .map((each) => JSON.stringify(each))
      .join(", ");
    const runner = pathToFileURL(join(import.meta.dirname, "run-shared.ts")).href;
    writeFileSync(path, `import { runShared } from ${JSON.stringify(runner)};\nawait runShared(${work});\n`);
    return path;
  });
  return {
    entries,
    progress: () =>
      shared.map(({ file }, at) => ({
        file,
        entry: contentOf(join(folder, `taken-${at}`)),
        ended: existsSync(join(folder, `ended-${at}`)),
      })),
  };
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function rank(name: string): number {
  const at = LONGEST.indexOf(name);
  return at < 0 ? LONGEST.length : at;
}
