import { readFileSync } from "node:fs";
import { type Comment, parseSync } from "oxc-parser";

/** A node of the syntax tree (ESTree with TypeScript's nodes). */
export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export interface Source {
  text: string;
  program: Node;
  comments: readonly Comment[];
  /** Returns the line of an offset or a node, counted from 1. */
  lineOf: (at: number | Node) => number;
}

const parsed = new Map<string, Source>();

/**
 * Parses the TypeScript file `path`, once for all rules.
 *
 * It uses oxc because TypeScript 7 offers no stable JavaScript API, and type stripping would erase the type-only
 * imports.
 * @throws Error if the file does not parse
 */
export function parse(path: string): Source {
  const known = parsed.get(path);
  if (known) return known;
  const source = parseText(path, readFileSync(path, "utf8"));
  parsed.set(path, source);
  return source;
}

export function parseText(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const lineOf = lineFinder(text);
  return {
    text,
    program: program as unknown as Node,
    comments,
    lineOf: (at) => lineOf(typeof at === "number" ? at : at.start),
  };
}

/** Returns a function that maps an offset of `text` to its line, counted from 1, by binary search. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Calls `seen` for `node` and everything in it, parents first. */
export function visit(node: Node, seen: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  seen(node, parent);
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) visit(child, seen, node);
    } else if (isNode(value)) visit(value, seen, node);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** Returns the value of a plain string literal. */
export function stringOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

/** Returns the name after the dot of a member expression, or in constant brackets. */
export function propertyOf(node: Node): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  if (node.computed) return stringOf(node.property);
  return isNode(node.property) ? (node.property.name as string) : undefined;
}
