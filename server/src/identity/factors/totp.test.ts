import assert from "node:assert/strict";
import { test } from "node:test";
import { otpauthUri, secretText, stepAt, stepsOf, totpCode } from "./totp.ts";

/** The secret of RFC 6238 appendix B for SHA-1. */
const SECRET = Buffer.from("12345678901234567890");
const at = (seconds: number) => new Date(seconds * 1000);

test("codes equal the last six of the eight digits in RFC 6238 appendix B", () => {
  const vectors: [seconds: number, code: string][] = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ];
  for (const [seconds, code] of vectors) assert.equal(totpCode(SECRET, stepAt(at(seconds))), code.slice(2));
});

test("the codes of RFC 4226 appendix D belong to the steps 0 to 9", () => {
  const codes = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
  for (const [step, code] of codes.entries()) assert.equal(totpCode(SECRET, step), code);
});

test("a code is accepted during its step, the previous step and the next step", () => {
  const code = "081804";
  const step = stepAt(at(1_111_111_109));
  const begins = step * 30;
  for (const seconds of [begins - 30, begins, begins + 29, begins + 59])
    assert.deepEqual(stepsOf(SECRET, code, at(seconds)), [step]);
  for (const seconds of [begins - 31, begins + 60]) assert.deepEqual(stepsOf(SECRET, code, at(seconds)), []);
});

test("a code may be typed with blanks; other text is refused", () => {
  const now = at(1_111_111_109);
  assert.equal(stepsOf(SECRET, " 081 804 ", now).length, 1);
  for (const text of ["", "81804", "0081804", "08180a", "０８１８０４", "-81804"])
    assert.deepEqual(stepsOf(SECRET, text, now), [], text);
});

test("the secret is written in base32, and the URI names issuer and address", () => {
  assert.equal(secretText(SECRET), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  const uri = otpauthUri({ secret: SECRET, email: "ada+x@acme.example", issuer: "Muster at acme.example" });
  assert.equal(
    uri,
    "otpauth://totp/Muster%20at%20acme.example:ada%2Bx%40acme.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Muster%20at%20acme.example&algorithm=SHA1&digits=6&period=30",
  );
});
