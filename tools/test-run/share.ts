import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files that need a process of their own, and why. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ["server/test/api-malformed.test.ts", "measures the memory of its process"],
  ["server/test/quickstarts.test.ts", "sets the trusted authorities of its process"],
]);

/**
 * Divides the files of a whole run among a few processes, always in the same way. A process loads the sources, compiles the
 * embedded database and warms up its code only once, which is half the time of a test file in a process of its own. Each
 * file is a suite there, with its own hooks.
 *
 * @param files absolute paths under `root`
 * @param folder an empty folder for the generated entry files
 * @returns the entry files to run instead of `files`, one for each process
 */
export function shareProcesses(root: string, files: readonly string[], processes: number, folder: string): string[] {
  const nameOf = (file: string) => relative(root, file);
  const alone = files.filter((file) => ALONE.has(nameOf(file)));
  const shares = Array.from({ length: processes }, (): string[] => []);
  files.filter((file) => !alone.includes(file)).forEach((file, at) => void shares[at % processes]!.push(file));
  mkdirSync(folder, { recursive: true });
  const shared = shares
    .filter((share) => share.length > 0)
    .map((share, at) => {
      const suites = share.map((file) => suite(nameOf(file), pathToFileURL(file).href));
      const path = join(folder, `process-${at + 1}.mjs`);
      writeFileSync(path, ['import { describe } from "node:test";', ...suites, ""].join("\n"));
      return path;
    });
  return [...alone, ...shared];
}

function suite(name: string, url: string): string {
  return `describe(${JSON.stringify(name)}, () => import(${JSON.stringify(url)}));`;
}
