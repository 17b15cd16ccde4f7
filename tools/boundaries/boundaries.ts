import { existsSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { filesIn, isTestCode, SERVER } from "../source/files.ts";
import { inOrder, type Violation } from "../source/violation.ts";
import { findCycles } from "./cycles.ts";
import { checkImport, checkPackage, checkUse, type Finding, sourceFile } from "./rules.ts";
import { type FoundImport, type Scan, scan } from "./scan.ts";
import { findFolderCycles } from "./sub-folders.ts";
import type { Table } from "./table.ts";

const AGENT = "agent/src/";
const ADMIN = "admin/src/";
/** Tests and their helpers, whose imports are free but form no cycle either. */
const TESTS = ["server/test/", "agent/test/"];

/**
 * Compares the production code under `root` (`server/src`, `agent/src`) with the import table. Finds cycles of files
 * and of sub-folders there, in `admin/src` and in the tests of server and agent.
 * @returns every violation, ordered by file and line; empty if there is none
 */
export function checkBoundaries(root: string, table: Table): Violation[] {
  const scans = scansOf(root, `${SERVER}**/*.ts`, `${AGENT}**/*.ts`);
  const violations = [...scans].flatMap(([file, found]) => [
    ...unknownFolder(table, file),
    ...found.imports.flatMap((each) => at(file, each.line, importFindings(table, root, file, each))),
    ...(file.startsWith(SERVER) ? found.uses : []).flatMap((each) =>
      at(file, each.line, checkUse(table, inServer(file), each)),
    ),
  ]);
  const others = [scansOf(root, `${ADMIN}**/*.{ts,tsx}`), ...TESTS.map((home) => testScans(root, home))];
  for (const each of [scans, ...others]) violations.push(...cycles(root, each), ...folderCycles(each));
  return inOrder(violations);
}

function scansOf(root: string, ...patterns: string[]): Map<string, Scan> {
  const code = filesIn(root, ...patterns).filter((file) => !isTestCode(file));
  return new Map(code.map((file) => [file, scan(join(root, file))]));
}

function testScans(root: string, home: string): Map<string, Scan> {
  return new Map(filesIn(root, `${home}**/*.ts`).map((file) => [file, scan(join(root, file))]));
}

function importFindings(table: Table, root: string, file: string, found: FoundImport): Finding[] {
  if (found.specifier === undefined)
    return [{ rule: "opaque", message: "import() of something that is not a plain string" }];
  if (found.specifier.startsWith("@muster/server"))
    return [{ rule: "workspace", message: "the server is no library: import nothing of it" }];
  if (!found.specifier.startsWith("."))
    return file.startsWith(SERVER) ? checkPackage(table, inServer(file), found.specifier) : [];
  const target = resolve(file, found.specifier);
  const home = file.startsWith(SERVER) ? SERVER : AGENT;
  if (!target.startsWith(home)) return leavesHome(root, file, target);
  return home === SERVER ? checkImport(table, inServer(file), inServer(target), found) : [];
}

/** A relative path must not leave the workspace's `src`, except to its own package.json. */
function leavesHome(root: string, file: string, target: string): Finding[] {
  const manifest = `${file.slice(0, file.indexOf("/"))}/package.json`;
  if (target === manifest && existsSync(join(root, target))) return [];
  return [{ rule: "workspace", message: `${target} is outside this workspace's src` }];
}

function unknownFolder(table: Table, file: string): Violation[] {
  if (!file.startsWith(SERVER) || inServer(file).place in table.imports) return [];
  return at(file, 1, [{ rule: "folder", message: `${inServer(file).place} has no row in tools/boundaries/table.ts` }]);
}

function cycles(root: string, scans: Map<string, Scan>): Violation[] {
  const graph = new Map(
    [...scans].map(([file, found]) => [file, found.imports.flatMap((each) => relativeTarget(file, each) ?? [])]),
  );
  return findCycles(graph).map((walk) => {
    const step = scans.get(walk[0]!)!.imports.find((each) => relativeTarget(walk[0]!, each) === walk[1]);
    const path = walk.map((each) => relative(root, join(root, each))).join(" → ");
    return { file: walk[0]!, line: step?.line ?? 1, rule: "cycle", message: path };
  });
}

function folderCycles(scans: Map<string, Scan>): Violation[] {
  const edges = [...scans].flatMap(([from, { imports }]) =>
    imports.flatMap((found) => ({ from, to: relativeTarget(from, found) ?? from, line: found.line })),
  );
  return [SERVER, AGENT, ADMIN, ...TESTS].flatMap((home) =>
    findFolderCycles(home, edges).map(({ walk, upward: { from, line } }) => {
      const message = `sub-folders import each other: ${walk.join(" → ")}`;
      return { file: from, line, rule: "sub-folders", message };
    }),
  );
}

function relativeTarget(file: string, found: FoundImport): string | undefined {
  return found.specifier?.startsWith(".") ? resolve(file, found.specifier) : undefined;
}

function resolve(file: string, specifier: string): string {
  return posix.join(dirname(file), specifier);
}

function inServer(file: string) {
  return sourceFile(file.slice(SERVER.length));
}

function at(file: string, line: number, findings: Finding[]): Violation[] {
  return findings.map((finding) => ({ file, line, ...finding }));
}
