import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documents, filesIn, writtenCode } from "../source/files.ts";
import { lineFinder, parse } from "../source/syntax.ts";
import { inOrder, type Violation } from "../source/violation.ts";
import { proseOf } from "./prose.ts";

/** Matches a page (`pki.md`), or a source file with its folder (`lists/lists.ts`), but no addresses or patterns. */
const CITED = /(?<![\w./:*<>{}…-])(?:[\w.-]+\/)*[\w.-]+\.(?:md|ts)\b(?![\w*<{/-])/g;
/** Files that a run of the tools writes into the repository; git ignores them. */
const WRITTEN_BY_TOOLS = ["flaky-tests.md"];
/** The number of a clause of another page. */
const CLAUSE = /\bB\d{1,2}\b/g;

/**
 * Checks that every page and every source file that a comment, a sentence or a document under `root` names is in the
 * repository: `docs/pki.md`, or the end of a path, `pki.md` and `lists/lists.ts`. A bare `lists.ts` may be any file. A
 * clause is cited by its content, not by its number.
 */
export function checkCitations(root: string): Violation[] {
  const files = filesIn(root, "*.md", "{docs,server,agent,admin,bench,attack,simulate,tools}/**/*.{md,ts}");
  const there = new Set([...files.flatMap(endsOf), ...WRITTEN_BY_TOOLS]);
  const missing = (file: string, text: string, lineOf: (at: number) => number) =>
    [...text.matchAll(CITED), ...text.matchAll(CLAUSE)]
      .map(({ 0: cited, index }) => ({ cited: cited.replace(/^(\.{1,2}\/)+/, ""), line: lineOf(index) }))
      .filter(({ cited }) => !there.has(cited) && (!cited.endsWith(".ts") || cited.includes("/")))
      .map(({ cited, line }) => {
        const message = `${cited} is not in the repository: cite what is, or say what matters of it`;
        return { file, line, rule: "citation", subject: cited, message };
      });
  return inOrder([
    ...writtenCode(root).flatMap((file) => {
      const source = parse(join(root, file));
      return proseOf(source).flatMap(({ text, offset }) => missing(file, text, (at) => source.lineOf(offset + at)));
    }),
    ...documents(root).flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return missing(file, text, lineFinder(text));
    }),
  ]);
}

/** Returns the suffixes by which a path may be cited: the whole path, or its last parts. */
function endsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, from) => parts.slice(from).join("/"));
}
