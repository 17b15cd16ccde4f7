import type { Node } from "../source/syntax.ts";

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
};

const ASSIGNMENTS: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=" };

/** Methods that are replaced by another one, or left out. */
const METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  max: "min",
  min: "max",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
  filter: "",
  trim: "",
  reverse: "",
  sort: "",
};

interface Place {
  parent: Node;
  /** In `a?.b(…).c` a part in parentheses would no longer be skipped. */
  isInChain: boolean;
  raw: (node: Node) => string;
}

/**
 * Returns what else the expression `node` could be: another operator, a constant condition, a flipped boolean, the next
 * number, another method. Texts are not changed, because no promise lies in the wording of an error.
 */
export function variantsOf(node: Node, { parent, isInChain, raw }: Place): string[] {
  const variants = ownVariants(node, isInChain, raw);
  const isCondition =
    parent.test === node && ["IfStatement", "ConditionalExpression", "WhileStatement"].includes(parent.type);
  if (!isCondition) return variants;
  return [...variants, "false", ...(parent.type === "WhileStatement" ? [] : ["true"])];
}

function ownVariants(node: Node, isInChain: boolean, raw: Place["raw"]): string[] {
  const part = (key: string) => raw(node[key] as Node);
  const operator = node.operator as string;
  switch (node.type) {
    case "BinaryExpression":
      if (operator === "+" && (isText(node.left) || isText(node.right))) return [];
      return (OPERATORS[operator] ?? []).map((other) => `${part("left")} ${other} ${part("right")}`);
    case "LogicalExpression":
      return (OPERATORS[operator] ?? []).map((other) => `(${part("left")}) ${other} (${part("right")})`);
    case "UnaryExpression":
      return operator === "!" || operator === "-" || operator === "~" ? [part("argument")] : [];
    case "UpdateExpression":
      return [raw(node).replace(operator, operator === "++" ? "--" : "++")];
    case "AssignmentExpression":
      return ASSIGNMENTS[operator] ? [`${part("left")} ${ASSIGNMENTS[operator]} ${part("right")}`] : [];
    case "Literal":
      if (typeof node.value === "boolean") return [String(!node.value)];
      if (typeof node.value === "number") return [String(node.value + 1)];
      return typeof node.value === "bigint" ? [`${node.value + 1n}n`] : [];
    case "CallExpression":
      return isInChain ? [] : otherMethod(node, raw);
    default:
      return [];
  }
}

function otherMethod(node: Node, raw: Place["raw"]): string[] {
  const callee = node.callee as Node;
  if (callee.type !== "MemberExpression" || callee.computed || callee.optional) return [];
  const method = raw(callee.property as Node);
  const other = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (other === undefined) return [];
  const object = raw(callee.object as Node);
  return [other === "" ? object : `${object}.${other}${raw(node).slice(callee.end - node.start)}`];
}

function isText(node: unknown): boolean {
  const { type, value } = node as Node;
  return type === "TemplateLiteral" || typeof value === "string";
}
