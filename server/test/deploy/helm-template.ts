import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load, loadAll } from "js-yaml";

type Values = Record<string, unknown>;

/** A piece of a template: text, or an action between `{{` and `}}`. */
type Piece = { text: string } | { action: string };

/**
 * Renders a chart as `helm template` does, as far as our chart needs it: values, `quote`, `default`, `toYaml`,
 * `nindent`, `if` with `else`, and `range`. `npm run release:check` compares it with Helm.
 * @param overrides replace values of values.yaml, recursively
 * @returns the Kubernetes objects
 * @throws Error at any other construct, so that no template goes unread
 */
export function renderChart(folder: string, overrides: Values = {}): Values[] {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const chart = load(read("Chart.yaml")) as { appVersion: string };
  const values = merged(load(read("values.yaml")) as Values, overrides);
  const scope = { Values: values, Release: { Name: "muster" }, Chart: { AppVersion: chart.appVersion } };
  return readdirSync(join(folder, "templates"))
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => loadAll(render(piecesOf(read(`templates/${name}`)), scope)) as (Values | null)[])
    .filter((object) => object !== null && object !== undefined);
}

function merged(values: Values, overrides: Values): Values {
  const entries = Object.entries(overrides).map(([name, value]) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return [name, isObject ? merged((values[name] ?? {}) as Values, value as Values) : value];
  });
  return { ...values, ...Object.fromEntries(entries) };
}

/** `{{-` trims the white space before it. */
function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of template.matchAll(/\{\{(-?)\s*(.*?)\s*\}\}/g)) {
    const before = template.slice(at, found.index);
    pieces.push({ text: found[1] ? before.trimEnd() : before }, { action: found[2]! });
    at = found.index + found[0].length;
  }
  return [...pieces, { text: template.slice(at) }];
}

function render(pieces: Piece[], scope: Values): string {
  let text = "";
  while (pieces.length > 0) {
    const piece = pieces.shift()!;
    if ("text" in piece) text += piece.text;
    else if (/^(if|range)\b/.test(piece.action)) text += renderBlock(piece.action, pieces, scope);
    else text += evaluate(piece.action, scope);
  }
  return text;
}

/** Takes the pieces up to the end of a block: one list for each of its branches, with the action that begins it. */
function takeBranches(first: string, pieces: Piece[]): { action: string; block: Piece[] }[] {
  const branches: { action: string; block: Piece[] }[] = [{ action: first, block: [] }];
  for (let depth = 1; ; ) {
    const piece = pieces.shift();
    if (piece === undefined) throw new Error("a block without an end");
    const action = "action" in piece ? piece.action : "";
    if (/^(if|range|with)\b/.test(action)) depth++;
    if (action === "end" && --depth === 0) return branches;
    if (depth === 1 && /^else\b/.test(action)) branches.push({ action: action.slice("else ".length), block: [] });
    else branches.at(-1)!.block.push(piece);
  }
}

function renderBlock(first: string, pieces: Piece[], scope: Values): string {
  const branches = takeBranches(first, pieces);
  if (first.startsWith("range ")) return renderRange(branches[0]!, scope);
  const chosen = branches.find(({ action }) => action === "" || holds(action, scope));
  return chosen === undefined ? "" : render(chosen.block, scope);
}

function renderRange({ action, block }: { action: string; block: Piece[] }, scope: Values): string {
  const [, key, value, of] = /^range (?:(\$\w+), )?(\$\w+) := (\S+)$/.exec(action) ?? [];
  if (!value || !of) throw new Error(`not understood: ${action}`);
  const entries = Object.entries(lookUp(of, scope) as Values);
  return entries
    .map(([name, each]) => render([...block], { ...scope, ...(key ? { [key]: name } : {}), [value]: each }))
    .join("");
}

/** Evaluates a condition: a value, `or` of values, or `ne` of a value and a text. */
function holds(action: string, scope: Values): boolean {
  const [name, ...words] = action.split(" ");
  if (name === "if" && words[0] === "or") return words.slice(1).some((word) => isTrue(lookUp(word, scope)));
  if (name === "if" && words[0] === "ne") return lookUp(words[1]!, scope) !== JSON.parse(words[2]!);
  if (name === "if" && words.length === 1) return isTrue(lookUp(words[0]!, scope));
  throw new Error(`not understood: ${action}`);
}

/** Returns the truth of a value in Go templates: an empty list or map is false. */
function isTrue(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function evaluate(action: string, scope: Values): string {
  const [first, ...filters] = action.split(/\s*\|\s*/);
  const [, asYaml] = /^toYaml (\S+)$/.exec(first!) ?? [];
  let value = asYaml === undefined ? lookUp(first!, scope) : dump(lookUp(asYaml, scope)).trimEnd();
  for (const filter of filters) {
    const [name, argument = ""] = filter.split(" ");
    if (name === "quote") value = JSON.stringify(String(value));
    else if (name === "default") value = value || lookUp(argument, scope);
    else if (name === "nindent") value = `\n${value}`.replaceAll("\n", `\n${" ".repeat(Number(argument))}`);
    else throw new Error(`not understood: ${filter}`);
  }
  return String(value);
}

/** @throws Error if values.yaml does not have it */
function lookUp(path: string, scope: Values): unknown {
  if (!/^[.$][\w.]+$/.test(path)) throw new Error(`not understood: ${path}`);
  if (path.startsWith("$.")) return lookUp(path.slice(1), scope);
  if (path.startsWith("$")) return scope[path];
  let value: unknown = scope;
  for (const name of path.slice(1).split(".")) {
    if (typeof value !== "object" || value === null || !(name in value)) throw new Error(`no value ${path}`);
    value = (value as Values)[name];
  }
  return value;
}
