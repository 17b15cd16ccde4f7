import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files that need a process of their own, and why. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ["server/test/api-malformed.test.ts", "measures the memory of its process"],
  ["server/test/quickstarts.test.ts", "sets the trusted authorities of its process"],
]);

/** Begun before all others, since they take longest: no process is still busy with one when the others have ended. */
const LONGEST = [
  ...[
    "demo",
    "every-screen",
    "second-factor",
    "first-device",
    "certificate-screens",
    "device-lists",
    "access-screens",
    "user-screens",
    "sign-in",
    "devices",
  ].map((name) => `server/test/browser/${name}.test.ts`),
  ...[
    "refusal-journal",
    "crash",
    "restart-process",
    "ca-maintenance",
    "broker-aedes",
    "notifications-fairness",
    "notifications",
    "admin-audit",
    "events",
    "backup",
    "plans",
    "migrations",
    "crash-master-key",
    "earlier-version",
  ].map((name) => `server/test/${name}.test.ts`),
  "agent/test/state.test.ts",
];

/**
 * Has a few processes share the files of a whole run. A process loads the sources, compiles the embedded database and warms up its
 * code only once, which is half the time of a test file in a process of its own. Each file is a suite there, with its own hooks;
 * a process takes the next file when it has ended one, so that all of them end at about the same time.
 *
 * @param files absolute paths under `root`
 * @param folder an empty folder for the generated entry files
 * @returns the entry files to run instead of `files`, one for each process
 */
export function shareProcesses(root: string, files: readonly string[], processes: number, folder: string): string[] {
  const nameOf = (file: string) => relative(root, file);
  const alone = files.filter((file) => ALONE.has(nameOf(file)));
  const shared = files
    .filter((file) => !alone.includes(file))
    .map((file) => ({ name: nameOf(file), url: pathToFileURL(file).href }))
    .sort((one, other) => rank(one.name) - rank(other.name));
  const count = Math.min(processes, shared.length);
  mkdirSync(folder, { recursive: true });
  const entries = Array.from({ length: count }, (_, at) => {
    const path = join(folder, `process-${at + 1}.mjs`);
    const work = [shared, join(folder, "taken-")].map((value) => JSON.stringify(value)).join(", ");
    const runner = pathToFileURL(join(import.meta.dirname, "run-shared.ts")).href;
    writeFileSync(path, `import { runShared } from ${JSON.stringify(runner)};\nawait runShared(${work});\n`);
    return path;
  });
  return [...alone, ...entries];
}

function rank(name: string): number {
  const at = LONGEST.indexOf(name);
  return at < 0 ? LONGEST.length : at;
}
