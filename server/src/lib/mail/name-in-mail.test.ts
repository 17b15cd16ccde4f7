import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nameInMail } from "./name-in-mail.ts";

test("company names stay unchanged", () => {
  for (const name of [
    "Acme waterworks",
    "St. Gallen Works Inc.",
    "Müller & Söhne (Köln)",
    "東京水道局",
    "L'Eau-2",
    "מים",
  ])
    assert.equal(nameInMail(name), name);
});

test("links, addresses, telephone numbers, markup, controls and bidi marks are removed", () => {
  for (const [name, shown] of [
    ["Visit http://evil.example now", "Visit http evil example now"],
    ["evil.com", "evil com"],
    ["www.evil.com/login?x=1", "www evil com login x 1"],
    ["eve@evil.com", "eve evil com"],
    ["evil\uff0ecom evil\u2024com evil\u3002com", "evil com evil com evil com"],
    ["Call +49 (89) 123-4567 now", "Call … now"],
    ['<a href="//evil.com">Acme</a>', "a href evil com Acme a"],
    ["Acme\r\nBcc: eve", "Acme Bcc eve"],
    ["Acme\u202emoc.live\u2066", "Acme moc live"],
    ["Acme\u200b\ufeff\0", "Acme"],
    ["e\u0301\u0301\u0301\u0301\u0301\u0301", "é\u0301\u0301\u0301"],
    ["\u{1f6d1}\u2028", "…"],
    ["", "…"],
    [`${"x".repeat(49)} y`, `${"x".repeat(49)}…`],
  ])
    assert.equal(nameInMail(name!), shown, JSON.stringify(name));
});

test("whatever a tenant calls itself, its name is one short line that no mail client turns into a link", () => {
  const unit = fc.constantFrom(..."ab.1 /:@-+\"'<>\u202e\n\uff0e\u3002é".split(""));
  const any = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), any), (name) => {
      const shown = nameInMail(name);
      assert.ok([...shown].length <= 50 && shown.length > 0);
      assert.doesNotMatch(shown, /[\p{C}\p{Zl}\p{Zp}@:/"<>]|\.[^ ]/u);
    }),
  );
});
