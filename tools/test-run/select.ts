import { globSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";

const HOMES = ["server", "agent", "admin", "tools", "bench", "attack", "simulate"];

/**
 * Returns the test files to run, as absolute paths under `root`.
 * @param wanted files, folders, or parts of a path; none means every test
 * @throws Error naming the first of `wanted` that selects nothing
 */
export function selectTests(root: string, wanted: string[]): string[] {
  const all = globSync(
    HOMES.map((home) => `${home}/**/*.test.ts`),
    { cwd: root, exclude: (path) => /node_modules|fixtures/.test(path) },
  ).map((path) => resolve(root, path));
  if (wanted.length === 0) return all.sort();
  const selected = wanted.flatMap((each) => {
    const found = all.filter((path) => matches(root, path, each));
    if (found.length === 0) throw new Error(`no test file matches ${each}`);
    return found;
  });
  return [...new Set(selected)].sort();
}

function matches(root: string, path: string, wanted: string): boolean {
  const exact = resolve(root, wanted);
  const kind = statSync(exact, { throwIfNoEntry: false });
  if (kind?.isDirectory()) return path.startsWith(`${exact}/`);
  return kind ? path === exact : relative(root, path).includes(wanted);
}
