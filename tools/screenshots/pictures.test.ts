import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MOST_BYTES, PICTURES as SINGLE } from "./pictures.ts";
import { STORY } from "./story.ts";

const PICTURES = [...SINGLE, ...STORY];
const DOCS = join(import.meta.dirname, "../../docs");
const PNG = Buffer.from("89504e470d0a1a0a", "hex");

test("npm run screenshots creates every picture of the documents, in its size and small enough to load quickly", () => {
  const files = readdirSync(join(DOCS, "images")).sort();
  assert.deepEqual(files, PICTURES.map(({ name }) => `${name}.png`).sort());
  for (const { name, width, height } of PICTURES) {
    const bytes = readFileSync(join(DOCS, "images", `${name}.png`));
    assert.deepEqual(bytes.subarray(0, 8), PNG, name);
    // The header's width and height (PNG 11.2.1).
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width, height], name);
    assert.ok(bytes.length <= MOST_BYTES, `${name} has ${bytes.length} bytes`);
  }
});

test("every picture is used in a document", () => {
  const pages = [
    join(DOCS, "../README.md"),
    ...readdirSync(DOCS, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(DOCS, name)),
  ].map((file) => readFileSync(file, "utf8"));
  for (const { name } of PICTURES)
    assert.ok(
      pages.some((page) => page.includes(`images/${name}.png`)),
      name,
    );
});
