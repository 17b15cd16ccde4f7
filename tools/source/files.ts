import { globSync } from "node:fs";
import { sep } from "node:path";

export const SERVER = "server/src/";

/** Files that a run of the tools writes into the repository; git ignores them. */
export const WRITTEN_BY_TOOLS = ["flaky-tests.md"];

/** Returns the matching files of the repository under `root`, sorted, with `/`. */
export function filesIn(root: string, ...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => path.includes("node_modules") })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => !WRITTEN_BY_TOOLS.includes(file))
    .sort();
}

/** Returns the server's files without tests. */
export function serverFiles(root: string): string[] {
  return filesIn(root, `${SERVER}**/*.ts`).filter((file) => !isTestCode(file));
}

/**
 * Files exempt from the rules of wording: generated code repeats checked text, `words.ts` contains the words that it
 * refuses, and the fixtures break the rules.
 */
const EXEMPT = /^tools\/words\.ts$|^tools\/fixtures\/|^admin\/(src\/api\/generated|dist(\.new)?)\//;

/** Returns the TypeScript files whose wording is checked, tests included. */
export function writtenCode(root: string): string[] {
  const folders = ["server", "agent", "admin", "bench", "attack", "simulate", "tools"];
  return filesIn(root, ...folders.map((folder) => `${folder}/**/*.{ts,tsx}`)).filter((file) => !EXEMPT.test(file));
}

/** Returns the pages for people: Markdown, and the tables that pages cite. */
export function documents(root: string): string[] {
  return filesIn(root, "*.md", "{docs,agent,bench,attack,simulate}/**/*.{md,tsv}");
}

/** Returns the files whose comments begin with `#`: scripts, Dockerfiles and YAML. */
export function scripts(root: string): string[] {
  const deployed = ["deploy/**/*.{yaml,cfg,ini,sh}", "deploy/cluster/prepare"];
  const hosted = [".github/**/*.yml", "tools/go-programs"];
  return filesIn(root, ".ci/*", "tools/with-postgres", ...hosted, "Dockerfile", "*.yaml", ...deployed);
}

/** Returns the SQL files. */
export function sqlFiles(root: string): string[] {
  return filesIn(root, `${SERVER}**/*.sql`);
}

/** Returns the folder of `server/src` that contains a file, or the bare name of a top-level file. */
export function placeOf(file: string): string {
  return file.slice(SERVER.length).replace(/\/.*|\.ts$/, "");
}

/** Returns whether the file is a test or only tests import it. */
export function isTestCode(path: string): boolean {
  return path.endsWith(".test.ts") || path.includes("test-support/");
}
