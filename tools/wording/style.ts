import { inOrder, type Violation } from "../source/violation.ts";
import { withoutCode } from "./prose.ts";
import { type Text, textsIn } from "./texts.ts";

const MOST_COLUMNS = 120;
const MOST_WORDS = 40;

/** The targets of links, in place and in definitions. */
const TARGETS = /(?<=\])\([^)\n]*\)|^\[[^\]]+\]: .*$/gm;

/** Patterns of twisted sentences, each with the plain form. */
const FINGERPRINTS: readonly [pattern: RegExp, instead: string][] = [
  [/(?<![^\s(|])Of(?=\s)/g, "a sentence begins with its subject, not with Of"],
  [/(?<![^\s(|])Has(?=\s)/g, "a sentence needs a subject before Has"],
  [/\bof\s+(?:before|then)\b/g, "say which one: earlier, former, from an older version"],
];

/**
 * Checks the style of every comment and page under `root`: no twisted sentences, no line over 120 columns, and no
 * sentence over 40 words on a page. Tables, code blocks and the targets of links may make a line of a page longer.
 */
export function checkStyle(root: string): Violation[] {
  return inOrder(
    textsIn(root).flatMap((text) => [
      ...twistedSentences(text),
      ...longLines(text),
      ...(isPage(text) ? longSentences(text) : []),
    ]),
  );
}

function isPage({ file }: Text): boolean {
  return file.endsWith(".md");
}

function twistedSentences({ file, comments, lineOf }: Text): Violation[] {
  return comments.flatMap(({ text, offset }) => {
    const prose = withoutCode(text);
    return FINGERPRINTS.flatMap(([pattern, instead]) =>
      [...prose.matchAll(pattern)].map(({ 0: found, index }) => {
        const message = `"${found.replace(/\s+/g, " ")}": ${instead}`;
        return { file, line: lineOf(offset + index), rule: "twisted", message };
      }),
    );
  });
}

function longLines(text: Text): Violation[] {
  const { file, whole } = text;
  if (file.endsWith(".tsv")) return [];
  const lines = (isPage(text) ? withoutTables(whole).replace(TARGETS, "") : whole).split("\n");
  const checked = isPage(text) ? lines.map((_, index) => index + 1) : commentLines(text);
  return [...new Set(checked)]
    .map((line) => ({ line, columns: [...lines[line - 1]!.trimEnd()].length }))
    .filter(({ line, columns }) => columns > MOST_COLUMNS && !/https?:\/\//.test(lines[line - 1]!))
    .map(({ line, columns }) => {
      return { file, line, rule: "columns", message: `${columns} columns, of at most ${MOST_COLUMNS}` };
    });
}

function commentLines({ comments, lineOf }: Text): number[] {
  return comments.flatMap(({ text, offset }) => {
    const [first, last] = [lineOf(offset), lineOf(offset + text.length)];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function longSentences({ file, whole, lineOf }: Text): Violation[] {
  return sentencesOf(whole)
    .map(({ text, offset }) => ({ offset, words: text.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0 }))
    .filter(({ words }) => words > MOST_WORDS)
    .map(({ offset, words }) => {
      const message = `a sentence of ${words} words, of at most ${MOST_WORDS}`;
      return { file, line: lineOf(offset), rule: "sentence", message };
    });
}

/** Matches a paragraph, a list item or a heading: text up to an empty line or the next item. */
const BLOCK = /\S(?:(?!\n\s*\n|\n\s*(?:[-*>]|\d+\.)\s|\n#)[\s\S])*/g;
const SENTENCE = /\S[\s\S]*?(?:[.!?][)"*_]*(?=\s|$)|$)/g;

/** Returns the sentences of a page outside of tables and code blocks. A code span counts as one word. */
export function sentencesOf(page: string): { text: string; offset: number }[] {
  const prose = withoutTables(page)
    .replace(TARGETS, blank)
    .replace(/`[^`\n]*`/g, (code) => "x".repeat(code.length));
  return [...prose.matchAll(BLOCK)].flatMap(({ 0: block, index: at }) =>
    [...block.matchAll(SENTENCE)].map(({ 0: text, index }) => ({ text, offset: at + index })),
  );
}

/** Empties code blocks, tables and HTML comments; each line keeps its number. */
function withoutTables(page: string): string {
  return page
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^ *\|.*$/gm, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
