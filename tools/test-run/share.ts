import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files that share no process, and why. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ["server/test/api-malformed.test.ts", "measures the memory of its process"],
  ["server/test/quickstarts.test.ts", "sets which authorities its process believes"],
]);

/**
 * Half of what a test file in a process of its own takes is what every process does once: loading the sources, compiling
 * the embedded database, and being slow until its code is warm. So the files of a whole run are dealt out to a few
 * processes, always the same ones to each; in there each file is a suite, whose hooks enclose its tests alone.
 *
 * @param files absolute paths under `root`
 * @param folder an empty one, for the files that are made here
 * @returns what to start, a process each, instead of `files`
 */
export function shareProcesses(root: string, files: readonly string[], processes: number, folder: string): string[] {
  const nameOf = (file: string) => relative(root, file);
  const alone = files.filter((file) => ALONE.has(nameOf(file)));
  const hands = Array.from({ length: processes }, (): string[] => []);
  files.filter((file) => !alone.includes(file)).forEach((file, at) => void hands[at % processes]!.push(file));
  mkdirSync(folder, { recursive: true });
  const shared = hands
    .filter((hand) => hand.length > 0)
    .map((hand, at) => {
      const suites = hand.map((file) => suite(nameOf(file), pathToFileURL(file).href));
      const path = join(folder, `process-${at + 1}.mjs`);
      writeFileSync(path, ['import { describe } from "node:test";', ...suites, ""].join("\n"));
      return path;
    });
  return [...alone, ...shared];
}

function suite(name: string, url: string): string {
  return `describe(${JSON.stringify(name)}, () => import(${JSON.stringify(url)}));`;
}
