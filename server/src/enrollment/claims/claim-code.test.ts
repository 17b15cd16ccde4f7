import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { randomIds } from "../../lib/ids.ts";
import { anyCharacter } from "../../lib/test-support/any-character.ts";
import { claimCodeHint, claimCodeHmac, newClaimCode, normalizeClaimCode } from "./claim-code.ts";

const keyOf = (octet: number) => createSecretKey(Buffer.alloc(32, octet));

test("a claim code has the prefix and three groups of four characters without I, L, O and U", () => {
  for (let round = 0; round < 500; round++) {
    assert.match(newClaimCode(randomIds), /^CLAIM(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  }
});

test("all 32 characters occur, so a code has 60 bits", () => {
  const seen = new Set(Array.from({ length: 500 }, () => normalizeClaimCode(newClaimCode(randomIds))!).join(""));
  assert.equal(seen.size, 32);
});

test("case, surrounding blanks, missing dashes and misread letters are ignored", () => {
  for (const typed of [
    "CLAIM-01AB-CDEF-GH1J",
    " claim-01ab-cdef-gh1j\n",
    "CLAIM01ABCDEFGH1J",
    "Claim-OlAB-CDEF-GHiJ",
  ]) {
    assert.equal(normalizeClaimCode(typed), "01ABCDEFGH1J");
  }
});

test("other text is no claim code", () => {
  for (const typed of [
    "",
    "CLAIM",
    "01AB-CDEF-GH1J",
    "CLAIM-01AB-CDEF-GH1",
    "CLAIM-01AB-CDEF-GH1JK",
    "CLAIM-01AB-CDEF-GHUJ",
    "CLAIM-01AB CDEF-GH1J",
    "CLAIM-01AB-CDEF-GHıJ",
    `CLAIM${"-".repeat(100)}01ABCDEFGH1J`,
  ]) {
    assert.equal(normalizeClaimCode(typed), undefined, JSON.stringify(typed));
  }
});

test("any text is read without an exception, and a code read has twelve characters of the alphabet", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const read = normalizeClaimCode(text);
      assert.ok(read === undefined || /^[0-9A-HJKMNP-TV-Z]{12}$/.test(read));
    }),
  );
});

test("the stored form depends on the key and the hint is the last four characters", () => {
  const code = "01ABCDEFGH1J";
  assert.notDeepEqual(claimCodeHmac(code, keyOf(1)), claimCodeHmac(code, keyOf(2)));
  assert.equal(claimCodeHint(code), "GH1J");
});
