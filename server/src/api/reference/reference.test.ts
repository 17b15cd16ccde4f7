import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { errorCodes } from "../openapi/openapi.ts";
import { type ErrorCode, PROBLEMS } from "../problem.ts";
import { routes } from "../routes.ts";
import { describe } from "./document.ts";
import { byTag } from "./layout.ts";
import { errorPage, operationPage, ROOT, resourcePage } from "./links.ts";
import { prose } from "./prose.ts";
import { createReference } from "./reference.ts";
import { curl } from "./samples.ts";

const addresses = { baseUrl: "https://muster.example", brokerUrl: "mqtts://muster.example:8883" };
const reference = await createReference(addresses);
const pages = new Map(
  reference.paths
    .map((path) => [path, reference.file(path)!] as const)
    .filter(([, { type }]) => type.startsWith("text/html"))
    .map(([path, { content }]) => [path, content]),
);

/** Returns every value of an attribute in a page. */
function values(page: string, attribute: string): string[] {
  return [...page.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, "g"))].map(([, value]) => value!);
}

test("every operation has a page with its address, scope, fields, errors and a line of curl", () => {
  for (const route of routes) {
    const page = pages.get(operationPage(route));
    assert.ok(page, route.operationId);
    assert.ok(page.includes(`<code>${route.path}</code>`), route.operationId);
    if (route.surface === "public") assert.ok(page.includes(`<code>${route.scope}</code>`), route.operationId);
    for (const code of errorCodes(route)) assert.ok(values(page, "href").includes(errorPage(code)), code);
    assert.match(page, /<figcaption>Request<\/figcaption><pre tabindex="0"><code>curl /);
    const named = Object.keys(
      (route.examples.response as { items?: object[] })?.items?.[0] ?? route.examples.response ?? {},
    );
    for (const name of named) assert.ok(page.includes(`<code>${name}</code>`), `${route.operationId}: ${name}`);
  }
});

test("every resource has a page with its operations, their scopes and the fields of its record", () => {
  for (const [tag, ofTag] of byTag("public")) {
    const page = pages.get(resourcePage(tag));
    assert.ok(page, tag);
    const main = page.slice(page.indexOf("<main"));
    for (const route of ofTag) {
      assert.ok(values(main, "href").includes(operationPage(route)), route.operationId);
      assert.ok(route.surface === "public" && main.includes(`<code>${route.scope}</code>`), route.operationId);
    }
    const shown = ofTag.find(({ method, path }) => method === "GET" && path.endsWith("}"));
    for (const name of Object.keys((shown?.examples.response as object) ?? {}))
      assert.ok(values(main, "id").includes(`record.${name}`), `${tag}: ${name}`);
  }
});

test("every error code has a page that says what to do and which operations answer it", () => {
  for (const code of Object.keys(PROBLEMS) as ErrorCode[]) {
    const page = pages.get(errorPage(code));
    assert.ok(page, code);
    assert.match(page, /<h2>What to do<\/h2>\n<p>.{10}/, code);
    assert.match(page, /<h2>Operations that answer it<\/h2>\n<(p>.{10}|ul)/, code);
    assert.ok(page.includes(`&quot;${code}&quot;`), `${code}: an example`);
  }
});

test("every link of every page has a target, including sections", () => {
  for (const [path, page] of pages) {
    for (const href of values(page, "(?:href|src)")) {
      const { pathname, hash } = new URL(href, `https://here.example${path}`);
      assert.ok(reference.file(pathname), `${path}: ${href}`);
      const target = pages.get(pathname);
      if (hash && target) assert.ok(values(target, "id").includes(hash.slice(1)), `${path}: ${href}`);
    }
  }
});

test("every page works under the strict policy: nothing inline, nothing from elsewhere", () => {
  for (const [path, page] of pages) {
    const tags = page.match(/<[a-z][^>]*>/gi)!.join("\n");
    assert.doesNotMatch(tags, /<style|\sstyle=|\son[a-z]+=/i, path);
    for (const [tag] of page.matchAll(/<script[^>]*>/g)) assert.equal(tag, `<script src="${ROOT}/script.js" defer>`);
    for (const address of [...values(page, "href"), ...values(page, "src")])
      assert.match(address, /^(\/(?!\/)|#)/, path);
  }
});

test("every page has a unique title, one first-level heading, and each id once", () => {
  const titles = [...pages.values()].map((page) => /<title>(.+?)<\/title>/.exec(page)?.[1]);
  assert.equal(new Set(titles).size, pages.size);
  for (const [path, page] of pages) {
    assert.equal(page.match(/<h1>/g)?.length, 1, path);
    const ids = values(page, "id");
    assert.equal(new Set(ids).size, ids.length, path);
  }
});

test("a text of an operation cannot become markup or an external link", () => {
  const evil = '<img src=x onerror=alert(1)> `<b>` `" onclick="x`';
  assert.equal(
    prose(evil, () => undefined).join(""),
    "<p>&lt;img src=x onerror=alert(1)&gt; <code>&lt;b&gt;</code> <code>&quot; onclick=&quot;x</code></p>",
  );
});

test("a shell can parse every line of curl", async () => {
  const documents = {
    public: await describe("public", addresses.baseUrl),
    device: await describe("device", addresses.baseUrl),
  };
  const lines = routes.map((route) => curl(route, documents[route.surface], addresses.baseUrl));
  execFileSync("sh", ["-n"], { input: lines.join("\n") });
  const put = lines.filter((line) => line.includes("-X PUT") || line.includes("-X PATCH"));
  assert.ok(put.length > 0 && put.every((line) => line.includes('"If-Match: $ETAG"')));
  const [route] = routes.filter(({ examples }) => examples.body !== undefined);
  const quoting = { ...route!, examples: { body: { name: 'the pump\'s "name"; $(reboot)' } } };
  const [, body] = /-d ([\s\S]*)$/.exec(curl(quoting, documents[quoting.surface], addresses.baseUrl))!;
  const sent = execFileSync("sh", ["-c", `printf %s ${body}`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(sent), quoting.examples.body);
});
