import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inOrder, type Violation } from "../source/violation.ts";
import { textsIn } from "./texts.ts";

const SPECIFICATION = "docs/specification.md";
const CLAUSE = String.raw`\d+(?:\.\d+)?(?: rules? \d+(?:, \d+)*)?`;
/** Matches `spec 4.10`, `spec 3.1 rule 4`, `spec 4.9, 9` and `spec 2.1-2.6, 3`. */
const CITED = new RegExp(String.raw`\bspec (${CLAUSE}(?:(?:, |-| and )${CLAUSE})*)`, "gi");
const HEADING = /^#{2,3} (\d+(?:\.\d+)?)\.? /;
const ITEM = /^(\d+)\. /;

/**
 * Checks that every clause that a comment, a sentence or a page under `root` cites is a heading of
 * `docs/specification.md`, and every rule of a clause an item of the numbered list there.
 */
export function checkClauses(root: string): Violation[] {
  const path = join(root, SPECIFICATION);
  const clauses = existsSync(path) ? clausesOf(readFileSync(path, "utf8")) : new Set<string>();
  const missing = (text: string) =>
    [...text.replace(/\n *\* /g, (star) => " ".repeat(star.length)).matchAll(CITED)].flatMap(({ 1: cited, index }) =>
      keysOf(cited!)
        .filter((key) => !clauses.has(key))
        .map((key) => ({ key, index })),
    );
  return inOrder(
    textsIn(root).flatMap(({ file, prose, lineOf }) =>
      prose.flatMap(({ text, offset }) =>
        missing(text).map(({ key, index }) => {
          const message = `clause ${key} is not in ${SPECIFICATION}`;
          return { file, line: lineOf(offset + index), rule: "clause", subject: key, message };
        }),
      ),
    ),
  );
}

/** Returns the clauses of the specification, and `<clause> rule <number>` for each item of its numbered lists. */
export function clausesOf(page: string): Set<string> {
  const found = new Set<string>();
  let clause = "";
  for (const line of page.split("\n")) {
    clause = HEADING.exec(line)?.[1] ?? clause;
    if (clause) found.add(clause);
    const item = ITEM.exec(line)?.[1];
    if (item) found.add(`${clause} rule ${item}`);
  }
  return found;
}

/** Returns the clauses of one citation: `5 rules 3, 5` is `5 rule 3` and `5 rule 5`; a range is its two ends. */
export function keysOf(cited: string): string[] {
  return [...cited.matchAll(new RegExp(CLAUSE, "g"))].flatMap(({ 0: each }) => {
    const [clause, rules] = each.split(/ rules? /);
    return rules ? rules.split(", ").map((rule) => `${clause} rule ${rule}`) : [clause!];
  });
}
