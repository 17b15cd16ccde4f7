import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "./html.ts";

test("every value in a template is escaped, in text and in attributes", () => {
  const evil = `"><script>alert('x')</script>&amp;`;
  const safe = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;";
  assert.equal(String(html`<a title="${evil}">${evil}</a>`), `<a title="${safe}">${safe}</a>`);
});

test("a template's result is inserted into another unchanged, and lists are joined", () => {
  const items = ["<1>", "<2>"].map((text) => html`<li>${text}</li>`);
  assert.equal(String(html`<ul>${items}</ul>`), "<ul><li>&lt;1&gt;</li><li>&lt;2&gt;</li></ul>");
});

test("absent values leave nothing behind, and zero is shown", () => {
  assert.equal(String(html`<p>${undefined}${false}${0}</p>`), "<p>0</p>");
});

test("nothing else passes for markup, even if it pretends to be", () => {
  const forged = { text: "<b>", toString: () => "<b>" } as unknown as string;
  assert.equal(String(html`${forged}`), "&lt;b&gt;");
});

test("every character that could open a tag or an entity, or close an attribute, is replaced", () => {
  const all = String.fromCharCode(...Array(0x250).keys());
  const changed = [...all].filter((character) => String(html`${character}`) !== character);
  assert.deepEqual(changed.sort(), [..."\"&'<>"].sort());
});
