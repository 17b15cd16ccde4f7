import assert from "node:assert/strict";
import { test } from "node:test";
import { randomIds } from "../../lib/ids.ts";
import { makeRecoveryCode, normalizeRecoveryCode, recoveryCodeHash } from "./recovery-codes.ts";

test("a recovery code has sixteen characters in four groups, and no two are equal", () => {
  const codes = Array.from({ length: 1000 }, () => makeRecoveryCode(randomIds));
  for (const code of codes) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  assert.equal(new Set(codes).size, codes.length);
});

test("a typed code is recognized whatever its case, dashes and blanks, and with letters that resemble digits", () => {
  for (const typed of ["7K3M-0Q8Z-XT4V-91BC", " 7k3moq8z xt4v 9lbc\n", "7K3MOQ8ZXT4V9IBC"])
    assert.equal(normalizeRecoveryCode(typed), "7K3M0Q8ZXT4V91BC");
});

test("other text is no recovery code", () => {
  for (const typed of ["", "123456", "7K3M-0Q8Z-XT4V-91B", "7K3M-0Q8Z-XT4V-91BCC", "7K3M-0Q8Z-XT4V-91BU", "7K3M_0Q8Z"])
    assert.equal(normalizeRecoveryCode(typed), undefined, typed);
});

test("equal codes of two factors have different hashes", () => {
  const [code, one, other] = ["7K3M-0Q8Z-XT4V-91BC", randomIds.uuid(new Date(0)), randomIds.uuid(new Date(0))];
  assert.deepEqual(recoveryCodeHash(one, code), recoveryCodeHash(one, code.toLowerCase()));
  assert.notDeepEqual(recoveryCodeHash(one, code), recoveryCodeHash(other, code));
});
