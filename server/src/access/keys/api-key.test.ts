import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { randomIds } from "../../lib/ids.ts";
import { makeKey, parseKey } from "./api-key.ts";

test("a key has the documented format and parses into its public id and the hash of its secret", () => {
  for (let round = 0; round < 200; round++) {
    const made = makeKey(randomIds);
    assert.match(made.text, /^mstr_[a-z2-7]{8}_[0-9A-Za-z]{49}$/);
    assert.deepEqual(parseKey(made.text), { id: made.id, secretHash: made.secretHash });
  }
});

test("a key whose secret is all zeros or all ones still has 43 characters", () => {
  for (const byte of [0, 255]) {
    const made = makeKey({ ...randomIds, bytes: (size) => Buffer.alloc(size, byte) });
    assert.equal(made.text.length, 63);
    assert.equal(parseKey(made.text)?.id, made.id);
  }
});

test("a key with one changed character is refused", () => {
  const { text } = makeKey(randomIds);
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
  for (let at = 0; at < text.length; at++)
    for (const other of alphabet)
      if (other !== text[at]) assert.equal(parseKey(text.slice(0, at) + other + text.slice(at + 1)), undefined);
});

test("any other text is refused: shorter, longer, padded, with another prefix, arbitrary", () => {
  const { text } = makeKey(randomIds);
  for (const bad of [
    "",
    "mstr_",
    text.slice(1),
    `${text}0`,
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
    text.repeat(200),
  ])
    assert.equal(parseKey(bad), undefined);
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (anything) => parseKey(anything) === undefined));
});
