import { isNode, type Node, parseText } from "../source/syntax.ts";
import { variantsOf } from "./variants.ts";

/** One change of one expression. */
export interface Mutant {
  /** Unique in a run, from 1. */
  id: number;
  /** Path of the file, relative to the repository. */
  file: string;
  line: number;
  /** The expression as it is written, and as the mutant writes it. */
  from: string;
  to: string;
}

/** Keys of nodes that lead to types, which do not run. */
const TYPE_KEYS = new Set(["typeAnnotation", "typeParameters", "typeArguments", "returnType", "superTypeArguments"]);
/** TypeScript's expressions; every other `TS…` node is a type. */
const TYPED_EXPRESSIONS = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const SKIPPED = new Set(["ImportDeclaration", "ExportAllDeclaration"]);

/**
 * Returns `text` with all of its mutants in it ("mutant schemata"). Each one asks `__mutant(id)` whether it is active,
 * so a process loads the file once and tries one mutant after the other.
 * @param firstId the id of the first mutant
 */
export function instrument(file: string, text: string, firstId: number): { code: string; mutants: Mutant[] } {
  const { program, lineOf } = parseText(file, text);
  const mutants: Mutant[] = [];

  const raw = (node: Node) => text.slice(node.start, node.end);

  const add = (node: Node, to: string): number => {
    const id = firstId + mutants.length;
    mutants.push({ id, file, line: lineOf(node), from: oneLine(raw(node)), to: oneLine(to) });
    return id;
  };

  /** Returns the text of `node` with the mutants inside it. */
  const inside = (node: Node, isInChain: boolean): string => {
    let code = "";
    let at = node.start;
    for (const child of childrenOf(node)) {
      code += text.slice(at, child.start) + render(child, node, isInChain);
      at = child.end;
    }
    return code + text.slice(at, node.end);
  };

  const render = (node: Node, parent: Node, isInChain: boolean): string => {
    if (SKIPPED.has(node.type) || (node.type.startsWith("TS") && !TYPED_EXPRESSIONS.has(node.type))) return raw(node);
    const isStillInChain = node.type === "ChainExpression" || (isInChain && CHAINED.has(node.type));
    const code = inside(node, isStillInChain);
    if (node.type === "ExpressionStatement") {
      if (node.directive) return code;
      return `{ if (!__mutant(${add(node, "(removed)")})) { ${code} } }`;
    }
    const variants = variantsOf(node, { parent, isInChain, raw });
    if (variants.length === 0) return code;
    return variants.reduce((rest, to) => `(__mutant(${add(node, to)}) ? (${to}) : ${rest})`, `(${code})`);
  };

  return { code: text.slice(0, program.start) + inside(program, false) + text.slice(program.end), mutants };
}

const CHAINED = new Set(["MemberExpression", "CallExpression"]);

/** Returns the nodes inside `node` that run, in the order of the text. */
function childrenOf(node: Node): Node[] {
  const children = Object.keys(node)
    .filter((key) => !TYPE_KEYS.has(key) && !isName(node, key))
    .flatMap((key) => node[key])
    .filter(isNode)
    .sort((a, b) => a.start - b.start);
  // A shorthand property has its name twice.
  return children.filter((child, index) => index === 0 || child.start >= children[index - 1]!.end);
}

/** Tells whether `key` of `node` is a name instead of an expression. */
function isName(node: Node, key: string): boolean {
  return (key === "key" || key === "property") && node.computed !== true;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
