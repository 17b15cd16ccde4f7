import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load, loadAll } from "js-yaml";

type Values = Record<string, unknown>;

/** A piece of a template: text, or an action between `{{` and `}}`. */
type Piece = { text: string } | { action: string };

/**
 * Renders a chart as `helm template` does, as far as our chart needs it: values, `quote`, `default`, `toYaml`,
 * `nindent`, `if` and `range` over an object.
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
    else if (/^(if|range)\b/.test(piece.action)) text += renderBlock(piece.action, takeBlock(pieces), scope);
    else text += evaluate(piece.action, scope);
  }
  return text;
}

function takeBlock(pieces: Piece[]): Piece[] {
  const block: Piece[] = [];
  for (let depth = 1; ; ) {
    const piece = pieces.shift();
    if (piece === undefined) throw new Error("a block without an end");
    if ("action" in piece && /^(if|range|with)\b/.test(piece.action)) depth++;
    if ("action" in piece && piece.action === "end" && --depth === 0) return block;
    block.push(piece);
  }
}

function renderBlock(action: string, block: Piece[], scope: Values): string {
  const [, of] = /^if (\S+)$/.exec(action) ?? [];
  if (of !== undefined) return isTrue(lookUp(of, scope)) ? render(block, scope) : "";
  const [, key, value, object] = /^range (\$\w+), (\$\w+) := (\S+)$/.exec(action) ?? [];
  if (!key || !value || !object) throw new Error(`not understood: ${action}`);
  const entries = Object.entries(lookUp(object, scope) as Values);
  return entries.map(([name, each]) => render([...block], { ...scope, [key]: name, [value]: each })).join("");
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
  if (path.startsWith("$")) return scope[path];
  let value: unknown = scope;
  for (const name of path.slice(1).split(".")) {
    if (typeof value !== "object" || value === null || !(name in value)) throw new Error(`no value ${path}`);
    value = (value as Values)[name];
  }
  return value;
}
