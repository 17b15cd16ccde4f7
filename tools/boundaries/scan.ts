import { isNode, type Node, parse, propertyOf, stringOf, visit } from "../source/syntax.ts";

/**
 * An import in any form: `import`, `export … from`, `import()`, or a type written `import("x").T`. `specifier` is
 * undefined for an `import()` whose argument is not a plain string.
 */
export interface FoundImport {
  specifier: string | undefined;
  typeOnly: boolean;
  line: number;
}

/** A use of `time`, `chance` or `environment`, or a call of a named method (`call:selectFrom`). */
export interface FoundUse {
  use: string;
  line: number;
}

export interface Scan {
  imports: FoundImport[];
  uses: FoundUse[];
}

/**
 * Reads the TypeScript file `path` and lists its imports, and where it uses the clock, chance or the environment.
 * @throws Error if the file does not parse
 */
export function scan(path: string): Scan {
  const { program, lineOf } = parse(path);
  const found: Scan = { imports: [], uses: [] };
  visit(program, (node) => {
    const imported = importOf(node);
    if (imported) found.imports.push({ ...imported, line: lineOf(node) });
    for (const use of usesOf(node)) found.uses.push({ use, line: lineOf(node) });
  });
  return found;
}

function importOf(node: Node): Omit<FoundImport, "line"> | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return isNode(node.source) ? { specifier: stringOf(node.source), typeOnly: isTypeOnly(node) } : undefined;
    case "ImportExpression":
      return { specifier: stringOf(node.source), typeOnly: false };
    case "TSImportType":
      return { specifier: stringOf(node.source), typeOnly: true };
    default:
      return undefined;
  }
}

function isTypeOnly(node: Node): boolean {
  if (node.importKind === "type" || node.exportKind === "type") return true;
  const names = (node.specifiers ?? []) as Node[];
  return names.length > 0 && names.every((name) => name.importKind === "type" || name.exportKind === "type");
}

function usesOf(node: Node): string[] {
  if (node.type === "NewExpression") {
    return isNamed(node.callee, "Date") && (node.arguments as unknown[]).length === 0 ? ["time"] : [];
  }
  if (node.type === "CallExpression") {
    if (isNamed(node.callee, "Date")) return ["time"];
    const method = isNode(node.callee) ? propertyOf(node.callee) : undefined;
    return method ? [`call:${method}`] : [];
  }
  if (node.type === "ImportDeclaration") return importsEnvironment(node) ? ["environment"] : [];
  if (node.type === "MemberExpression") {
    const property = propertyOf(node);
    if (property === "now" && isNamed(node.object, "Date")) return ["time"];
    if (property === "random" && isNamed(node.object, "Math")) return ["chance"];
    if (property === "env" && isNamed(node.object, "process")) return ["environment"];
  }
  return [];
}

/** Whether the node is `Date` or `globalThis.Date`. */
function isNamed(node: unknown, name: string): boolean {
  if (!isNode(node)) return false;
  if (node.type === "Identifier") return node.name === name;
  return propertyOf(node) === name && isNamed(node.object, "globalThis");
}

function importsEnvironment(node: Node): boolean {
  const source = stringOf(node.source);
  if (source !== "node:process" && source !== "process") return false;
  return ((node.specifiers ?? []) as Node[]).some((each) => isNamed(each.imported, "env"));
}
