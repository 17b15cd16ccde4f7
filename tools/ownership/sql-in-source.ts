import { isNode, type Node, propertyOf, type Source, stringOf, visit } from "../source/syntax.ts";
import { tablesNamed } from "./sql-tables.ts";
import { HOLE } from "./sql-tokens.ts";

/** A place of a source file that reads or writes a table; `name` is undefined if the source computes it. */
export interface TableUse {
  name: string | undefined;
  access: "read" | "write";
  line: number;
}

/** Query builder calls whose first argument is a table (`"devices as d"`), or a list of tables. */
const BUILDER: Readonly<Record<string, "read" | "write">> = {
  selectFrom: "read",
  innerJoin: "read",
  leftJoin: "read",
  rightJoin: "read",
  fullJoin: "read",
  crossJoin: "read",
  innerJoinLateral: "read",
  leftJoinLateral: "read",
  using: "read",
  insertInto: "write",
  replaceInto: "write",
  updateTable: "write",
  deleteFrom: "write",
  mergeInto: "write",
};

/** Calls of `sql.table(name)`. The effect of the statement is unknown, so the call counts as a write. */
const NAMES_TABLE = /^(table|id)$/;

/** Returns every place of `source` that reads or writes something by name: SQL text and calls of the query builder. */
export function tableUses(source: Source): TableUse[] {
  const found: TableUse[] = [];
  visit(source.program, (node, parent) => {
    if (node.type === "CallExpression") found.push(...usesOfCall(node, source));
    const text = textOf(node);
    if (text === undefined) return;
    for (const { offset, ...named } of tablesNamed(text, isSqlTemplate(parent)))
      found.push({ ...named, line: lineIn(source, node, text, offset) });
  });
  return found;
}

function usesOfCall(call: Node, source: Source): TableUse[] {
  const method = isNode(call.callee) ? propertyOf(call.callee) : undefined;
  const [first] = call.arguments as Node[];
  if (method === undefined || !first) return [];
  const line = source.lineOf((call.callee as Node).property as Node);
  const of = (access: TableUse["access"], nodes: Node[]) =>
    nodes.map((node) => ({ name: stringOf(node)?.split(/ as |\s/)[0], access, line }));
  if (NAMES_TABLE.test(method) && isSqlTag((call.callee as Node).object)) {
    return of("write", [first]).filter(({ name }) => method === "table" || name !== undefined);
  }
  const access = Object.hasOwn(BUILDER, method) ? BUILDER[method] : undefined;
  if (access === undefined) return [];
  const names = first.type === "ArrayExpression" ? (first.elements as Node[]) : [first];
  return of(access, names).filter(({ name }) => name !== undefined);
}

/** Returns the text of a string or template literal, with a hole for each interpolated expression. */
function textOf(node: Node): string | undefined {
  if (node.type !== "TemplateLiteral") return stringOf(node);
  return (node.quasis as Node[]).map((part) => (part.value as { cooked: string | null }).cooked ?? "").join(HOLE);
}

/**
 * Returns the line of `offset` in the literal's text. A template's lines equal the source's, because interpolations
 * rarely break lines.
 */
function lineIn(source: Source, node: Node, text: string, offset: number): number {
  if (node.type !== "TemplateLiteral") return source.lineOf(node);
  const hole = text.slice(0, offset).split(HOLE).length - 1;
  const part = (node.quasis as Node[])[hole]!;
  const within = text.slice(text.lastIndexOf(HOLE, offset - 1) + 1, offset);
  return source.lineOf(part) + within.split("\n").length - 1;
}

/** Matches `` sql`…` `` and `` sql<Row>`…` ``, in which keywords count in any case. */
function isSqlTemplate(parent: Node | undefined): boolean {
  return parent?.type === "TaggedTemplateExpression" && isSqlTag(parent.tag);
}

function isSqlTag(node: unknown): boolean {
  return isNode(node) && node.type === "Identifier" && node.name === "sql";
}
