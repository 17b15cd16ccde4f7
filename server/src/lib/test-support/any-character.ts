import fc from "fast-check";

/**
 * Any Unicode character except surrogates. The unit `binary` of fast-check needs a second to build tables before its
 * first value.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));
