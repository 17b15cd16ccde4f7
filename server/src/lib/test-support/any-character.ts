import fc from "fast-check";

/** Any character of Unicode, of which texts are made; fast-check's own `binary` spends a second on tables before the first. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));
