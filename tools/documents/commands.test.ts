import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesIn } from "../source/files.ts";
import { fencesOf } from "./markdown.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const pages = filesIn(ROOT, "*.md", "{docs,agent,bench,attack,simulate}/**/*.md");
/** Options that every subcommand, or the command without one, has. */
const COMMON = ["--json", "--help", "--version", "--server", "--api-key-file", "--profile", "--ca-file"];

/** A `muster` command of a page: its words, up to the next program of a line. */
interface Written {
  place: string;
  words: string[];
}

/** Returns the `muster` commands in code of a page, with an ellipsis or a placeholder as words of theirs. */
function commandsOf(page: string): Written[] {
  const text = read(page);
  const fences = fencesOf(text).filter(({ info }) => info === "" || info.startsWith("sh"));
  const inFences = fences.flatMap(({ body, line }) =>
    [...body.replaceAll("\\\n", " ").matchAll(/(?:^|[\s(|&;])npx muster (.*)$/gm)].map(([, rest]) => ({ line, rest })),
  );
  const inline = [...text.matchAll(/`(?:[A-Z_]+=\S+ )*(?:npx )?muster ([^`]+)`/g)].map(({ 1: rest, index }) => {
    return { line: text.slice(0, index).split("\n").length, rest };
  });
  return [...inFences, ...inline].map(({ line, rest }) => {
    const own = rest!.replace(/'[^']*'|"[^"]*"/g, "…").split(/ [|>&;#] ?|\)|2>/)[0]!;
    return { place: `${page}:${line}`, words: own.split(/\s+/).filter(Boolean) };
  });
}

/** The options by subcommand, such as `user create`, as docs/commands.tsv lists them. */
const subcommands = new Map<string, Set<string>>();
for (const row of read("docs/commands.tsv").trimEnd().split("\n").slice(1)) {
  const [usage, option] = row.split("\t") as [string, string];
  const name = usage.replace(/ [[<].*/, "");
  const options = subcommands.get(name) ?? new Set(COMMON);
  for (const [flag] of option.matchAll(/--?[a-z][\w-]*/g)) options.add(flag);
  subcommands.set(name, options);
}
const groups = new Set([...subcommands.keys()].map((name) => name.split(" ")[0]!));

function problemOf(words: string[]): string | undefined {
  const [first = "", second = ""] = words;
  if (!/^[a-z]/.test(first)) return undefined;
  const options = subcommands.get(`${first} ${second}`) ?? subcommands.get(first);
  const isGroup = groups.has(first) && (second === "" || !/^[a-z]/.test(second));
  if (options === undefined) return isGroup ? undefined : `no subcommand ${first} ${second}`;
  const unknown = words.filter((word) => word.startsWith("--") && !options.has(word.split("=")[0]!));
  return unknown.length > 0 ? `${first} ${second} has no option ${unknown.join(", ")}` : undefined;
}

test("every muster command in a page names a subcommand and options that it has", () => {
  const written = pages.flatMap(commandsOf);
  assert.ok(written.length > 150, `${written.length} commands`);
  const wrong = written.flatMap(({ place, words }) => {
    const problem = problemOf(words);
    return problem ? [`${place}: ${problem}`] : [];
  });
  assert.deepEqual(wrong, []);
});

test("every npm script in a page is one of package.json", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const ofAdmin = (JSON.parse(read("admin/package.json")) as { scripts: Record<string, string> }).scripts;
  const wrong = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:-s )?([a-z][\w:-]*)( -w admin)?/g)]
      .filter(([, name, inAdmin]) => (inAdmin ? ofAdmin : scripts)[name!] === undefined)
      .map(([found]) => `${page}: ${found}`),
  );
  assert.deepEqual(wrong, []);
});

test("every operation that a page names by method and whole path exists", () => {
  const operations = new Set<string>();
  const described = ["openapi/public.json", "openapi/admin.json", "openapi/device.json"].map(
    (file) => JSON.parse(read(file)).paths,
  );
  for (const paths of described)
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods as object))
        operations.add(`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`);
  const wrong = pages.flatMap((page) =>
    [...read(page).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/api\/[\w{}/-]+)/g)]
      .filter(([, method, path]) => !operations.has(`${method} ${path!.replace(/\{\w+\}/g, "{}")}`))
      .map(([found]) => `${page}: ${found}`),
  );
  assert.deepEqual(wrong, []);
});
