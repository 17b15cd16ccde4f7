/**
 * Pending violations: what a new rule found in old code. `tools/pending/<folder>.txt` lists them, one `rule file subject` a
 * line. The check accepts these and refuses new ones and lines that are no longer true, so the lists only get shorter.
 *
 *   npm run -s pending                    removes the lines that are no longer true; a moved file keeps its lines
 *   npm run -s pending -- --accept=words  adds a line for every violation of a rule; for a new rule
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ruleChecks } from "./rule-checks.ts";
import type { Violation } from "./source/violation.ts";

const FOLDER = "tools/pending";

interface Entry {
  rule: string;
  file: string;
  subject: string;
}

const lineOf = ({ rule, file, subject }: Entry) => `${rule} ${file} ${subject}`;

/** What of `violations` is not pending, and the lines of the pending lists for `rules` that match none. */
export function withoutPending(root: string, rules: readonly string[], violations: readonly Violation[]): Violation[] {
  const pending = readPending(root).filter(({ rule }) => rules.includes(rule));
  const found = new Set(violations.map((each) => lineOf({ ...each, subject: each.subject ?? "" })));
  const accepted = new Set(pending.map(lineOf));
  const stale = pending
    .filter((entry) => !found.has(lineOf(entry)))
    .map((entry) => ({
      file: listOf(entry.file),
      line: 1,
      rule: "pending",
      message: `"${lineOf(entry)}" is no longer true: remove the line, or run npm run -s pending`,
    }));
  return [...violations.filter((each) => !accepted.has(lineOf({ ...each, subject: each.subject ?? "" }))), ...stale];
}

function readPending(root: string): Entry[] {
  const lines = globSync(`${FOLDER}/*.txt`, { cwd: root }).flatMap((list) =>
    readFileSync(join(root, list), "utf8").split("\n"),
  );
  return [...new Set(lines)].flatMap((line) => {
    const [, rule, file, subject] = /^([\w-]+) (\S+) (.+)$/.exec(line) ?? [];
    return rule ? [{ rule, file: file!, subject: subject! }] : [];
  });
}

/** `server/src/groups/…` → `tools/pending/server-src-groups.txt`: one list a folder, so that two authors rarely meet. */
function listOf(file: string): string {
  const folders = dirname(file)
    .split("/")
    .slice(0, file.startsWith("server/src/") ? 3 : 2);
  return `${FOLDER}/${folders.join("-").replace(".", "root")}.txt`;
}

/** The pending lists after the code has changed: the lines that still match, and those of files that were moved. */
export function prune(pending: readonly Entry[], violations: readonly Entry[]): Entry[] {
  const found = new Map(violations.map((entry) => [lineOf(entry), entry]));
  const known = new Set(pending.map(lineOf));
  const kept = pending.filter((entry) => found.has(lineOf(entry)));
  const gone = pending.filter((entry) => !found.has(lineOf(entry)));
  const moved = [...found.values()].filter((entry) => {
    if (known.has(lineOf(entry))) return false;
    const from = gone.findIndex(({ rule, subject }) => rule === entry.rule && subject === entry.subject);
    if (from >= 0) gone.splice(from, 1);
    return from >= 0;
  });
  return [...kept, ...moved];
}

function write(root: string, entries: readonly Entry[]): void {
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  const lists = Map.groupBy(entries, ({ file }) => listOf(file));
  if (lists.size > 0) mkdirSync(join(root, FOLDER), { recursive: true });
  for (const [list, of] of lists) {
    writeFileSync(join(root, list), `${[...new Set(of.map(lineOf))].sort().join("\n")}\n`);
  }
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  const rules = process.argv.find((arg) => arg.startsWith("--accept="))?.slice("--accept=".length);
  const accept = new Set(rules?.split(","));
  const violations = ruleChecks
    .flatMap(({ check }) => check(root))
    .flatMap(({ subject, ...rest }) => (subject === undefined ? [] : [{ ...rest, subject }]));
  const before = readPending(root);
  write(root, [...prune(before, violations), ...violations.filter(({ rule }) => accept.has(rule))]);
  console.log(`${before.length} pending before, ${readPending(root).length} now`);
}
