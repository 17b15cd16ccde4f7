import { cteNamed } from "../ownership/sql-tables.ts";
import { type Token, tokensOf } from "../ownership/sql-tokens.ts";
import { isNode, type Node, type Source, visit } from "../source/syntax.ts";
import { sqlIn } from "./prose.ts";

export interface DeclaredName {
  name: string;
  line: number;
}

const FUNCTION = /Function|TSMethodSignature|TSCallSignature/;
const DECLARATION = /^(Function|Class|TSInterface|TSTypeAlias)Declaration$|^TSDeclareFunction$|^TSTypeParameter$/;
const MEMBER = /^(PropertyDefinition|MethodDefinition|TSPropertySignature|TSMethodSignature)$/;

/**
 * Returns every name that `source` declares: variables, parameters, functions, types and their members, and names in
 * its SQL.
 */
export function declaredNames(source: Source): DeclaredName[] {
  const found: DeclaredName[] = [];
  visit(source.program, (node) => {
    for (const { name, start } of namesIn(node)) found.push({ name: name as string, line: source.lineOf(start) });
  });
  for (const { text, offset } of sqlIn(source)) found.push(...namesInSql(text, (at) => source.lineOf(offset + at)));
  return found;
}

const DEFINES_SCHEMA = /\b(CREATE|ALTER)\b/;

/**
 * Returns the names that SQL text introduces: `WITH name AS (`, and `AS name` of a column or a table. If the text
 * defines a part of the schema, it returns each of its names once. Keywords are in upper case.
 */
export function namesInSql(text: string, lineOf: (offset: number) => number): DeclaredName[] {
  const tokens = tokensOf(text);
  const found = DEFINES_SCHEMA.test(text) ? tokens.filter(isName) : tokens.flatMap((_, at) => introducedAt(tokens, at));
  const first = new Map(found.toReversed().map(({ raw, offset }) => [raw, offset]));
  return [...first].map(([name, offset]) => ({ name, line: lineOf(offset) }));
}

function isName({ kind, raw }: Token): boolean {
  return kind === "quoted" || (kind === "word" && raw !== raw.toUpperCase());
}

function introducedAt(tokens: readonly Token[], at: number): Token[] {
  const token = tokens[at]!;
  const alias = tokens[at + 1];
  if (token.text === "(") return [cteNamed(tokens, at)].filter((name) => name !== undefined);
  return token.raw === "AS" && alias?.kind === "word" && alias.text !== "materialized" ? [alias] : [];
}

function namesIn(node: Node): Node[] {
  if (node.type === "VariableDeclarator") return bound(node.id);
  const own = DECLARATION.test(node.type) ? bound(typeof node.name === "string" ? node : (node.id ?? node.name)) : [];
  const parameters = FUNCTION.test(node.type) && Array.isArray(node.params) ? node.params.flatMap(bound) : [];
  const key = MEMBER.test(node.type) || isMethod(node) ? bound(node.key) : [];
  return [...own, ...parameters, ...key];
}

/** Whether the node is a function in an object literal. */
function isMethod(node: Node): boolean {
  return node.type === "Property" && isNode(node.value) && FUNCTION.test(node.value.type);
}

/** Returns the identifiers that a pattern binds. */
function bound(pattern: unknown): Node[] {
  if (!isNode(pattern)) return [];
  switch (pattern.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return [pattern];
    case "ObjectPattern":
      return (pattern.properties as Node[]).flatMap((each) => bound(each.type === "RestElement" ? each : each.value));
    case "ArrayPattern":
      return (pattern.elements as unknown[]).flatMap(bound);
    case "AssignmentPattern":
      return bound(pattern.left);
    case "RestElement":
      return bound(pattern.argument);
    default:
      return [];
  }
}

/** Splits a name into words: `keyStore`, `KEY_STORE` and `key-store` become `key store`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .join(" ")
    .toLowerCase();
}
