import { join } from "node:path";
import { table } from "../boundaries/table.ts";
import { placeOf, serverFiles } from "../source/files.ts";
import { isNode, type Node, parse, propertyOf, visit } from "../source/syntax.ts";
import { inOrder, type Violation } from "../source/violation.ts";

/** The type of the first parameter of a function that runs inside a use case's transaction. */
const CONNECTION = /^(Db|Tx)$/;

/** The functions that declare a use case with its rule. */
const DECLARES = /^(useCase|adminUseCase)$/;

/**
 * Checks that every use case under `root` declares who may run it, and that one place checks it:
 *
 * - an exported function of a feature that takes a caller second is declared with `useCase(rule, …)` or, for
 *   administration, with `adminUseCase(rule, act, …)`. Stores and functions that take a connection first are exempt
 *   because they run inside a use case;
 * - only `access/` reads `caller.rights`.
 */
export function checkUseCases(root: string): Violation[] {
  return inOrder(
    serverFiles(root).flatMap((file) => {
      const { program, lineOf } = parse(join(root, file));
      const place = placeOf(file);
      const undeclared = isFeature(file, place) ? undeclaredUseCases(program) : [];
      const rights = place === "access" ? [] : readsRights(program);
      return [
        ...undeclared.map(({ name, node }) => ({
          file,
          line: lineOf(node),
          rule: "use-case",
          subject: name,
          message: `${name} takes a caller: declare it with useCase({ scope, role }, …)`,
        })),
        ...rights.map((node) => ({
          file,
          line: lineOf(node),
          rule: "rights",
          subject: "rights",
          message: "only access/ reads a caller's rights: declare a use case's rule, or call a function of access",
        })),
      ];
    }),
  );
}

function isFeature(file: string, place: string): boolean {
  return table.facades.includes(place) && !file.endsWith("-store.ts");
}

interface NamedNode {
  name: string;
  node: Node;
}

function undeclaredUseCases(program: Node): NamedNode[] {
  const statements = program.body as Node[];
  const exported = new Set(statements.flatMap(exportedNames));
  return statements
    .map((statement) => (isNode(statement.declaration) ? statement.declaration : statement))
    .flatMap(declaredFunctions)
    .filter(({ name, node }) => exported.has(name) && takesCaller(node));
}

/** Returns the functions that a statement declares, directly or wrapped in a call other than `useCase`. */
function declaredFunctions(statement: Node): NamedNode[] {
  if (statement.type === "FunctionDeclaration") return [{ name: nameOf(statement.id) ?? "default", node: statement }];
  if (statement.type === "ArrowFunctionExpression") return [{ name: "default", node: statement }];
  if (statement.type !== "VariableDeclaration") return [];
  return (statement.declarations as Node[]).flatMap(({ id, init }) => {
    const call = isNode(init) && init.type === "CallExpression" ? init : undefined;
    if (call && DECLARES.test(nameOf(call.callee) ?? "")) return [];
    const values = call ? (call.arguments as Node[]) : isNode(init) ? [init] : [];
    return values.map((node) => ({ name: nameOf(id) ?? "", node }));
  });
}

function exportedNames(statement: Node): string[] {
  if (statement.type === "ExportDefaultDeclaration")
    return ["default", nameOf((statement.declaration as Node).id) ?? ""];
  if (statement.type !== "ExportNamedDeclaration" || isNode(statement.source)) return [];
  const { declaration } = statement;
  if (!isNode(declaration)) return (statement.specifiers as Node[]).map(({ local }) => nameOf(local) ?? "");
  if (declaration.type === "VariableDeclaration")
    return (declaration.declarations as Node[]).map(({ id }) => nameOf(id) ?? "");
  return [nameOf(declaration.id) ?? ""];
}

function takesCaller({ type, params }: Node): boolean {
  if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)) return false;
  const [first, second] = params as Node[];
  if (!first || !second || CONNECTION.test(typeNameOf(first) ?? "")) return false;
  return typeNameOf(second) === "Caller" || nameOf(second) === "caller";
}

/** Returns `Caller` for `caller: Caller`, `{ tenantId }: Caller` and `caller: Caller = …`. */
function typeNameOf(parameter: Node): string | undefined {
  const bare = parameter.type === "AssignmentPattern" ? (parameter.left as Node) : parameter;
  const type = isNode(bare.typeAnnotation) ? bare.typeAnnotation.typeAnnotation : undefined;
  return isNode(type) && type.type === "TSTypeReference" ? nameOf(type.typeName) : undefined;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Identifier" ? (node.name as string) : undefined;
}

/** Whether the node is `x.rights`, or a pattern that takes `rights` out of an object. */
function readsRights(program: Node): Node[] {
  const found: Node[] = [];
  visit(program, (node) => {
    if (propertyOf(node) === "rights") found.push(node.property as Node);
    if (node.type !== "ObjectPattern") return;
    found.push(...(node.properties as Node[]).filter(({ key }) => nameOf(key) === "rights"));
  });
  return found;
}
