import { join } from "node:path";
import { filesIn } from "../source/files.ts";
import { isNode, type Node, parse, propertyOf, stringOf } from "../source/syntax.ts";
import { inOrder, type Violation } from "../source/violation.ts";

const ADMIN = "admin/src/";
/** The catalogue itself, generated code, tests, and files of names and commands that no language translates. */
const EXEMPT =
  /^admin\/src\/(texts|api\/generated|ui\/theme)\/|\.test\.ts$|\/(browser-of|self-enroll|request-for|time-zones|csp)\.ts$/;

/** The attributes and properties whose value a person reads, even one word in lower case. */
const READ = new Set([
  "title",
  "label",
  "action",
  "lead",
  "description",
  "done",
  "placeholder",
  "none",
  "note",
  "aria-label",
]);
/** Names that no language translates: the product, and commands. */
const NAME = /^(Muster$|mosquitto_|-h |--\w)/;
/** The elements whose content is code. */
const CODE_ELEMENTS = /^(code|kbd|pre)$/;
/** The attributes that hold no text. */
const CODE = new Set([
  "className",
  "style",
  "href",
  "key",
  "id",
  "role",
  "type",
  "operation",
  "autoComplete",
  "name",
  "target",
  "rel",
  "aria-keyshortcuts",
]);
/** Calls whose strings are names of operations, elements, fields or keys of the keyboard. */
const CODE_CALLS =
  /^(querySelector(All)?|addEventListener|removeEventListener|closest|matches|split|join|replace(All)?)$/;

/** Finds texts for people that the source of the admin app holds itself, not the catalogue in `admin/src/texts`. */
export function checkCatalogue(root: string): Violation[] {
  const files = filesIn(root, `${ADMIN}**/*.{ts,tsx}`).filter((file) => !EXEMPT.test(file));
  return inOrder(
    files.flatMap((file) => {
      const { program, lineOf } = parse(join(root, file));
      return textsOf(program).map(({ node, text }) => ({
        file,
        line: lineOf(node),
        rule: "catalogue",
        message: `"${text}" belongs into admin/src/texts`,
      }));
    }),
  );
}

interface Text {
  node: Node;
  text: string;
}

/** Returns the literals below a node that a person reads. */
function textsOf(node: Node): Text[] {
  switch (node.type) {
    case "JSXText":
      return /\p{L}{2}/u.test(String(node.value).replace("Muster", ""))
        ? [{ node, text: String(node.value).trim() }]
        : [];
    case "JSXElement":
      return isCode(node.openingElement as Node) ? [] : belowAll(node);
    case "JSXAttribute":
      return attributeTexts(node);
    case "PropertyDefinition":
      return keyOf(node) === "name" ? [] : belowAll(node);
    case "Property":
      return [...keyTexts(node), ...valueTexts(node.value, READ.has(keyOf(node)))];
    case "Literal":
      return literalTexts(node, false);
    case "TemplateLiteral":
      return templateTexts(node);
    case "BinaryExpression":
      return isComparison(node) ? belowAll(node).filter((each) => each.node.type !== "Literal") : belowAll(node);
    case "CallExpression":
      return callTexts(node);
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
    case "TSLiteralType":
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
      return [];
    default:
      return belowAll(node);
  }
}

function belowAll(node: Node): Text[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .flatMap(textsOf);
}

function attributeTexts(node: Node): Text[] {
  const name = String((node.name as Node).name);
  if (CODE.has(name)) return [];
  return isNode(node.value) ? valueTexts(node.value, READ.has(name)) : [];
}

/** Returns the text of a value. @param read whether one word in lower case is a text, too */
function valueTexts(value: unknown, read: boolean): Text[] {
  if (!isNode(value)) return [];
  return value.type === "Literal" ? literalTexts(value, read) : textsOf(value);
}

function literalTexts(node: Node, read: boolean): Text[] {
  const text = stringOf(node) ?? "";
  return isSentence(text) || (read && /^[a-z]{2,}$/.test(text)) ? [{ node, text }] : [];
}

/** The labels of facts are keys: `{ "Last seen": … }`. */
function keyTexts(node: Node): Text[] {
  const key = keyOf(node);
  return !node.computed && /^[A-Z][a-z]+( |$)/.test(key) && !/^(Enter|Escape)$/.test(key) ? [{ node, text: key }] : [];
}

function keyOf(node: Node): string {
  const key = node.key as Node;
  return node.computed ? "" : String(key.type === "Identifier" ? key.name : key.value);
}

function templateTexts(node: Node): Text[] {
  const text = (node.quasis as Node[]).map(({ value }) => (value as { raw: string }).raw).join("…");
  const own = isSentence(text) && !/^\/|^[a-z-]+…$|^[a-z]+(-[a-z]+)* [a-z]+-/.test(text) ? [{ node, text }] : [];
  return [...own, ...belowAll(node)];
}

function callTexts(node: Node): Text[] {
  const callee = node.callee as Node;
  const name = propertyOf(callee) ?? String(callee.name);
  return CODE_CALLS.test(name) ? textsOf(callee) : belowAll(node);
}

function isComparison(node: Node): boolean {
  return /^[!=]==?$/.test(String(node.operator));
}

/** Reports whether the content of an element is code, or a name in the typeface of code. */
function isCode({ name, attributes }: Node): boolean {
  const isMono = (attributes as Node[]).some(({ value }) => stringOf(value) === "mono");
  return isMono || CODE_ELEMENTS.test(String((name as Node).name));
}

/** Reports whether a string is a text: several words, or one with a capital. Class names have hyphens. */
function isSentence(text: string): boolean {
  if (NAME.test(text)) return false;
  return /^[A-Z][a-z]/.test(text) || (/[A-Za-z]{2,}/.test(text) && / \S|\S /.test(text) && !/[a-z]-[a-z]+$/.test(text));
}
