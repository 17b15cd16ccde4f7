import { isTestCode } from "../source/files.ts";
import type { Violation } from "../source/violation.ts";
import type { FoundImport, FoundUse } from "./scan.ts";
import type { Table } from "./table.ts";

/**
 * A file of `server/src`: `path` is relative to it, with `/`; `place` is the folder or the top-level file's bare name.
 */
export interface SourceFile {
  path: string;
  place: string;
}

/** A rule's message about an import or a use, before its file and line are added. */
export type Finding = Omit<Violation, "file" | "line">;

export function sourceFile(path: string): SourceFile {
  const slash = path.indexOf("/");
  return { path, place: slash < 0 ? path.replace(/\.ts$/, "") : path.slice(0, slash) };
}

/** Returns what is wrong with `from` importing the file `to` of `server/src`. */
export function checkImport(table: Table, from: SourceFile, to: SourceFile, found: FoundImport): Finding[] {
  const findings: Finding[] = [];
  const say = (rule: string, message: string) => findings.push({ rule, message });
  if (isTestCode(to.path)) say("test-code", `production code imports test code ${to.path}`);
  if (from.place === to.place) {
    const [leaf, users] = Object.entries(table.leaves).find(([folder]) => to.path.startsWith(folder)) ?? [];
    if (leaf && !isIn([leaf, ...users!], from))
      say("leaf", `${leaf} may be imported by ${users!.join(", ") || "nothing"} of ${to.place}/`);
    return findings;
  }

  const allowed = table.imports[from.place] ?? [];
  if (!allowed.includes("*") && !allowed.includes(to.place)) {
    say("direction", `${from.place} may not import ${to.place} (allowed: ${allowed.join(", ") || "nothing of ours"})`);
  }
  if (to.path.endsWith("-store.ts")) {
    say("store", `${to.path} is private to ${to.place}/`);
  } else if (table.facades.includes(to.place) && !isFacade(to)) {
    say("facade", `${to.place} is entered through ${to.place}/${to.place}.ts or ${to.place}/errors.ts, not ${to.path}`);
  }
  if (to.place === "db" && !found.typeOnly && !isIn(table.sqlPlaces, from) && from.place !== "main") {
    if (!table.dbValuesForUseCases.includes(to.path))
      say("sql", "only stores and db/ use db/; elsewhere import its types only");
  }
  return findings;
}

/** Returns what is wrong with `from` importing the package (or built-in) `specifier`. */
export function checkPackage(table: Table, from: SourceFile, specifier: string): Finding[] {
  const name = packageName(specifier);
  const places = table.packages[name];
  if (!places || isIn(places, from)) return [];
  const rule = name === "kysely" ? "sql" : "package";
  return [{ rule, message: `${name} may be imported in ${places.join(", ")} only` }];
}

/** Returns what is wrong with `from` using the clock, chance, the environment or the query builder. */
export function checkUse(table: Table, from: SourceFile, { use }: FoundUse): Finding[] {
  if (use.startsWith("call:")) {
    const method = use.slice("call:".length);
    const writesSql = table.queryBuilderCalls.includes(method) && !isIn(table.sqlPlaces, from);
    return writesSql ? [{ rule: "sql", message: `${method}() writes SQL outside ${table.sqlPlaces.join(", ")}` }] : [];
  }
  const rule = use as keyof Table["constructs"];
  const places = table.constructs[rule];
  return isIn(places, from) ? [] : [{ rule, message: `${EXPLAIN[rule]} (allowed in ${places.join(", ")} only)` }];
}

const EXPLAIN = {
  time: "take a Clock instead of reading the time",
  chance: "take Ids instead of drawing at random",
  environment: "take the parsed configuration instead of process.env",
};

function isFacade(to: SourceFile): boolean {
  return to.path === `${to.place}/${to.place}.ts` || to.path === `${to.place}/errors.ts`;
}

function isIn(places: string[], file: SourceFile): boolean {
  return places.some((place) => {
    if (place.endsWith("/")) return file.path.startsWith(place);
    return place.startsWith("*") ? file.path.endsWith(place.slice(1)) : file.path === place;
  });
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
