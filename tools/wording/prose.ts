import { isNode, type Node, propertyOf, type Source, stringOf, visit } from "../source/syntax.ts";

/** A piece of text for people. */
export interface Prose {
  text: string;
  /** Where it begins in its file. */
  offset: number;
  comment: boolean;
  /** Whether an operator reads it: a log line, the help of a metric, an error's message. */
  operators: boolean;
}

const LOG = /^(trace|debug|info|warn|error|fatal)$/;

/** Returns the comments of `source`, and its strings that are sentences: those with a blank. */
export function proseOf(source: Source): Prose[] {
  const comments = source.comments.map(({ value, start }) => ({
    text: value,
    offset: start + 2,
    comment: true,
    operators: false,
  }));
  return [...comments, ...sentences(source)];
}

function sentences(source: Source): Prose[] {
  const found: Prose[] = [];
  const read = new Set<Node>();
  visit(source.program, (node) => {
    const text = textOf(node);
    if (text?.includes(" "))
      found.push({
        text,
        offset: node.type === "JSXText" ? node.start : node.start + 1,
        comment: false,
        operators: read.has(node),
      });
    for (const argument of textsForOperators(node)) visit(argument, (each) => read.add(each));
  });
  return found;
}

function textOf(node: Node): string | undefined {
  if (node.type === "JSXText") return node.value as string;
  return node.type === "TemplateElement" ? (node.value as { raw: string }).raw : stringOf(node);
}

/** Returns the arguments of `logger.warn(…)` and `new MusterError(…)`, and the help of a metric. */
function textsForOperators(node: Node): Node[] {
  if (node.type === "NewExpression") return nameOf(node.callee) === "MusterError" ? (node.arguments as Node[]) : [];
  if (node.type === "Property") return nameOf(node.key) === "help" ? [node.value as Node] : [];
  if (node.type !== "CallExpression" || !isNode(node.callee)) return [];
  const { callee } = node;
  const logs = LOG.test(propertyOf(callee) ?? "") && /logger$/i.test(lastNameOf(callee.object) ?? "");
  return logs ? (node.arguments as Node[]) : [];
}

function lastNameOf(node: unknown): string | undefined {
  return isNode(node) ? (propertyOf(node) ?? nameOf(node)) : undefined;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Identifier" ? (node.name as string) : undefined;
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
