import { type Node, type Source, stringOf, visit } from "../source/syntax.ts";

/** A piece of text for people. */
export interface Prose {
  text: string;
  /** The offset in its file at which it begins. */
  offset: number;
  comment: boolean;
}

/** A string is SQL if it contains one of these keywords, which this code base writes in upper case. */
const SQL = /\b(SELECT|INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER)\b/;
const SQL_COMMENT = /(?<=--)[^\n]*/g;
const SCRIPT_COMMENT = /(?<=^[ \t]*#)(?!!)[^\n]*/gm;

/** Returns the comments of `source`, and its strings that are sentences: those with a blank. */
export function proseOf(source: Source): Prose[] {
  const sentences = textsOf(source).filter(({ text }) => text.includes(" "));
  return [...ownComments(source), ...sentences.map((each) => ({ ...each, comment: false }))];
}

/** Returns the comments of `source`, and those in its SQL. */
export function commentsOf(source: Source): Prose[] {
  const inSql = sqlIn(source).flatMap(({ text, offset }) => matchesOf(SQL_COMMENT, text, offset));
  return [...ownComments(source), ...inSql];
}

/** Returns the comments of a script, or of a file in SQL. */
export function commentsIn(text: string, language: "script" | "sql"): Prose[] {
  return matchesOf(language === "sql" ? SQL_COMMENT : SCRIPT_COMMENT, text, 0);
}

/** Returns the string and template literals of `source` that are SQL. */
export function sqlIn(source: Source): { text: string; offset: number }[] {
  return textsOf(source).filter(({ text }) => SQL.test(text));
}

function ownComments({ comments }: Source): Prose[] {
  return comments.map(({ value, start }) => ({ text: value, offset: start + 2, comment: true }));
}

function matchesOf(pattern: RegExp, text: string, offset: number): Prose[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
    return { text: found, offset: offset + index, comment: true };
  });
}

function textsOf(source: Source): { text: string; offset: number }[] {
  const found: { text: string; offset: number }[] = [];
  visit(source.program, (node) => {
    const text = textOf(node);
    if (text !== undefined) found.push({ text, offset: node.type === "JSXText" ? node.start : node.start + 1 });
  });
  return found;
}

function textOf(node: Node): string | undefined {
  if (node.type === "JSXText") return node.value as string;
  return node.type === "TemplateElement" ? (node.value as { raw: string }).raw : stringOf(node);
}

/**
 * Replaces with blanks what is not prose: code, the addresses of links, and the star at the start of a comment's line,
 * so that a phrase may continue on the next line. The rest keeps its place.
 */
export function withoutCode(text: string): string {
  return text
    .replace(/^( *)```[\s\S]*?^\1```/gm, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/(?<=\n) *\* /g, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
