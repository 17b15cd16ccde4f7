import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { filesIn } from "../source/files.ts";
import { anchorsOf, linksOf } from "./markdown.ts";

const ROOT = join(import.meta.dirname, "../..");
const INDEX = "docs/README.md";
const pages = filesIn(ROOT, "*.md", "{docs,agent,bench,attack,simulate}/**/*.md", "tools/mutation/README.md");
const read = (page: string) => readFileSync(join(ROOT, page), "utf8");

/**
 * Returns the file to which a link of `page` leads, relative to the repository, and its anchor; undefined for web
 * addresses.
 */
function destination(page: string, target: string): { file: string; anchor: string | undefined } | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = "", anchor] = target.split("#");
  return { file: path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path))), anchor };
}

test("docs/README.md lists every page of docs", () => {
  const listed = new Set(linksOf(read(INDEX)).map(({ target }) => destination(INDEX, target)?.file));
  const missing = pages.filter((page) => page.startsWith("docs/") && page !== INDEX && !listed.has(page));
  assert.deepEqual(missing, []);
});

test("ARCHITECTURE.md lists every folder of server/src", () => {
  const page = read("ARCHITECTURE.md");
  const folders = readdirSync(join(ROOT, "server/src"), { withFileTypes: true }).filter((each) => each.isDirectory());
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !new RegExp(`^  (?:.* )?${name}/ `, "m").test(page)),
    [],
  );
});

test("every page is two clicks away from docs/README.md at most", () => {
  const targets = (page: string) =>
    linksOf(read(page))
      .flatMap(({ target }) => destination(page, target)?.file ?? [])
      .filter((file) => file.endsWith(".md"));
  const first = targets(INDEX);
  const reached = new Set([INDEX, ...first, ...first.flatMap(targets)]);
  assert.deepEqual(
    pages.filter((page) => !reached.has(page)),
    [],
  );
});

test("every relative link of a page leads to a file, and its anchor to a heading", () => {
  const broken: string[] = [];
  let checked = 0;
  for (const page of pages) {
    for (const { target, line } of linksOf(read(page))) {
      const to = destination(page, target);
      if (to === undefined) continue;
      checked++;
      const isThere = existsSync(join(ROOT, to.file));
      if (!isThere || (to.anchor !== undefined && to.file.endsWith(".md") && !anchorsOf(read(to.file)).has(to.anchor)))
        broken.push(`${page}:${line} ${target}`);
    }
  }
  assert.ok(checked > 200, `${checked} links`);
  assert.deepEqual(broken, []);
});

test("the pages of the root and of docs have at most 60,000 words, the README 700, ARCHITECTURE 1,700", () => {
  const words = (page: string) => read(page).split(/\s+/).filter(Boolean).length;
  const counted = pages.filter((page) => !page.includes("/") || page.startsWith("docs/"));
  const total = counted.reduce((sum, page) => sum + words(page), 0);
  assert.ok(total <= 60_000, `${total} words`);
  assert.ok(words("README.md") <= 700, `README.md: ${words("README.md")} words`);
  assert.ok(words("ARCHITECTURE.md") <= 1_700, `ARCHITECTURE.md: ${words("ARCHITECTURE.md")} words`);
});

/** Folders of an installation, a device or a program's project: no page means one of the repository by them. */
const ELSEWHERE = /^(?:commit|data|dist|inbox|main|next|pending|postgres|admin\/dist)\//;

/** Returns what a page names as a path of the repository: code with a slash that ends in one, or in a known suffix. */
function pathsOf(page: string): string[] {
  return [
    ...read(page).matchAll(
      /`([\w@.-]+(?:\/[\w@.-]+)*\/|[\w@.-]+(?:\/[\w@.-]+)+\.(?:ts|tsx|mjs|md|tsv|sql|yaml|yml|json|sh))`/g,
    ),
  ]
    .map(([, path]) => path!)
    .filter((path) => !ELSEWHERE.test(path));
}

test("every file and folder that a page of docs names is in the repository", () => {
  const files = filesIn(
    ROOT,
    "*",
    ".github/**",
    "{admin,agent,attack,bench,deploy,docs,load,openapi,server,simulate,tools}/**",
  );
  const all = new Set(
    files.flatMap((file) => file.split("/").map((_, depth, parts) => `/${parts.slice(0, depth + 1).join("/")}`)),
  );
  const ends = [...all];
  const isThere = (path: string) => {
    const end = `/${path.replace(/\/$/, "")}`;
    return all.has(end) || ends.some((file) => file.endsWith(end));
  };
  const wrong = pages.flatMap((page) =>
    pathsOf(page)
      .filter((path) => !isThere(path))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(wrong, []);
});
