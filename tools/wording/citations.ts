import { filesIn, WRITTEN_BY_TOOLS } from "../source/files.ts";
import { inOrder, type Violation } from "../source/violation.ts";
import { textsIn } from "./texts.ts";

/** Matches a page (`pki.md`), or a source file with its folder (`lists/lists.ts`), but no addresses or patterns. */
const CITED = /(?<![\w./:*<>{}…-])(?:[\w.-]+\/)*[\w.-]+\.(?:md|ts)\b(?![\w*<{/-])/g;
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
  return inOrder(
    textsIn(root).flatMap(({ file, prose, lineOf }) =>
      prose.flatMap(({ text, offset }) =>
        [...text.matchAll(CITED), ...text.matchAll(CLAUSE)]
          .map(({ 0: cited, index }) => ({ cited: cited.replace(/^(\.{1,2}\/)+/, ""), line: lineOf(offset + index) }))
          .filter(({ cited }) => !there.has(cited) && (!cited.endsWith(".ts") || cited.includes("/")))
          .map(({ cited, line }) => {
            const message = `${cited} is not in the repository: cite what is, or say what matters of it`;
            return { file, line, rule: "citation", subject: cited, message };
          }),
      ),
    ),
  );
}

/** Returns the suffixes by which a path may be cited: the whole path, or its last parts. */
function endsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, from) => parts.slice(from).join("/"));
}
