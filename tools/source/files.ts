import { globSync } from "node:fs";
import { sep } from "node:path";

export const SERVER = "server/src/";

/** The TypeScript files under `root` that match, sorted, with `/`. */
export function filesIn(root: string, ...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => path.includes("node_modules") })
    .map((file) => file.split(sep).join("/"))
    .sort();
}

/** The server's files without tests. */
export function serverFiles(root: string): string[] {
  return filesIn(root, `${SERVER}**/*.ts`).filter((file) => !isTestCode(file));
}

/**
 * Shipped migrations are never edited, generated code repeats what is checked elsewhere, `words.ts` names what it refuses, and the
 * fixtures break the rules.
 */
const EXEMPT =
  /^server\/src\/db\/migrations\/00(0\d|1[0-4])-|^tools\/words\.ts$|^tools\/fixtures\/|^admin\/(src\/api\/generated|dist(\.new)?)\//;

/** The TypeScript files whose wording counts, tests included. */
export function writtenCode(root: string): string[] {
  const folders = ["server", "agent", "admin", "bench", "attack", "simulate", "tools"];
  return filesIn(root, ...folders.map((folder) => `${folder}/**/*.{ts,tsx}`)).filter((file) => !EXEMPT.test(file));
}

/** The pages for people, and the scripts, whose comments read alike. */
export function documents(root: string): string[] {
  return filesIn(root, "*.md", "{docs,agent,bench,attack,simulate}/**/*.{md,tsv}", ".ci/*", "tools/with-postgres");
}

/** The folder of `server/src` that a file is in, or the bare name of a file that is in none. */
export function placeOf(file: string): string {
  return file.slice(SERVER.length).replace(/\/.*|\.ts$/, "");
}

/** Tests and what only tests import. */
export function isTestCode(path: string): boolean {
  return path.endsWith(".test.ts") || path.includes("test-support/");
}
