import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mailboxOf, normalizeEmailAddress, parseEmailAddress } from "./email-address.ts";

test("the address of one mailbox is accepted, with its domain in ASCII", () => {
  for (const [text, address] of [
    ["ada@acme.example", "ada@acme.example"],
    ["Ada.Lovelace+pumps@Acme.Example", "Ada.Lovelace+pumps@Acme.Example"],
    ["o'brien_1/x=y@localhost", "o'brien_1/x=y@localhost"],
    ["ada@münchen.example", "ada@xn--mnchen-3ya.example"],
    ["ada@MÜNCHEN\u3002example", "ada@xn--mnchen-3ya.example"],
    ["ada@mu\u0308nchen.example", "ada@xn--mnchen-3ya.example"],
    ["ada@XN--mnchen-3ya.example", "ada@xn--mnchen-3ya.example"],
  ] as const)
    assert.equal(parseEmailAddress(text), address, text);
});

test("quoted text, comments, controls, IP addresses, misplaced dots and other spellings of an address are refused", () => {
  for (const text of [
    "",
    "ada",
    "@acme.example",
    "ada@",
    "ada@acme.example.",
    "ada@münchen.example.",
    "ada@.acme.example",
    "ada@acme..example",
    ".ada@acme.example",
    "ada.@acme.example",
    "a..da@acme.example",
    '"ada"@acme.example',
    '"ada lovelace"@acme.example',
    "ada(work)@acme.example",
    "ada@(work)acme.example",
    "ada@[192.0.2.1]",
    "ada@192.0.2.1",
    "ada@１９２.０.２.１",
    "ada@acme@evil.example",
    "ada,eve@acme.example",
    "<ada@acme.example>",
    "ada@acme.example\r\nBcc: eve@evil.example",
    "ada\0@acme.example",
    "ada @acme.example",
    "ada@acme.example/evil",
    "ada@münchen.example/evil",
    "ada@münchen.example:25",
    "ada@münchen.example%2f",
    "ada@-acme.example",
    "ad\u0131@acme.example",
    "ad\u200ba@acme.example",
    "ad\u202ea@acme.example",
    "ada@ac\u200bme.example",
    `${"a".repeat(65)}@acme.example`,
    `ada@${"a.".repeat(125)}example`,
    `ada@${"ü.".repeat(100)}example`,
  ])
    assert.equal(parseEmailAddress(text), undefined, JSON.stringify(text));
});

test("an accepted address is printable ASCII with one @, and is accepted again unchanged", () => {
  const texts = fc.oneof(
    fc.emailAddress(),
    fc.string({ unit: "grapheme" }),
    fc.tuple(fc.string(), fc.domain()).map((of) => of.join("@")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const address = parseEmailAddress(text);
      if (address === undefined) return;
      assert.match(address, /^[!-?A-~]+@[!-?A-~]+$/);
      assert.equal(parseEmailAddress(address), address);
      assert.equal(mailboxOf(mailboxOf(text)), mailboxOf(text));
    }),
  );
});

test("all spellings of one mailbox share a key, and other mailboxes have their own", () => {
  const same = [
    "victim@acme.example",
    "VICTIM@Acme.Example",
    "victim+1@acme.example",
    "victim+a+b@acme.example",
    " victim+@acme.example ",
  ];
  assert.deepEqual([...new Set(same.map(mailboxOf))], ["victim@acme.example"]);
  const dotted = ["a.d.a@gmail.com", "ada+x@googlemail.com", "A.da@Gmail.com"];
  assert.deepEqual([...new Set(dotted.map(mailboxOf))], ["ada@gmail.com"]);
  assert.equal(mailboxOf("a.da@acme.example"), "a.da@acme.example");
  assert.equal(mailboxOf("+ada@acme.example"), "+ada@acme.example");
  assert.equal(mailboxOf("ada@münchen.example"), mailboxOf("ada+x@XN--MNCHEN-3YA.example"));
});

test("text that is not an address is only trimmed, and an internationalized domain is encoded", () => {
  assert.equal(normalizeEmailAddress(" jürgen@acme.example "), "jürgen@acme.example");
  assert.equal(normalizeEmailAddress(" ada@münchen.example"), "ada@xn--mnchen-3ya.example");
});
