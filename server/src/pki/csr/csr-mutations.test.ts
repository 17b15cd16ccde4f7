import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isMusterError } from "../../lib/errors.ts";
import { anyCharacter } from "../../lib/test-support/any-character.ts";
import { csrDer, csrPem } from "../test-support/csr-builder.ts";
import { GO_CSR, MBEDTLS_CSR } from "../test-support/foreign-csrs.ts";
import { readCsr } from "./read-csr.ts";

const RUNS = { numRuns: 3000 };

const ORIGINALS = [csrPem(csrDer()), GO_CSR, MBEDTLS_CSR].map((pem) => ({ pem, der: derOf(pem) }));

/**
 * A change of bytes: overwrite, insert, delete, repeat or truncate. Positions are fractions, so that they fit any
 * length.
 */
const mutation = fc.record({
  kind: fc.constantFrom("overwrite", "insert", "delete", "truncate", "repeat"),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never;

test("a CSR with any single bit flipped is refused", () => {
  for (const { der } of ORIGINALS) {
    for (let bit = 0; bit < der.length * 8; bit++) {
      const flipped = Buffer.from(der);
      flipped[bit >> 3]! ^= 0x80 >> (bit & 7);
      assert.equal(resultOf(csrPem(flipped)), "refused", `bit ${bit}`);
    }
  }
});

test("a CSR with changed DER is refused", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ORIGINALS),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      ({ der }, mutations) => {
        const changed = mutations.reduce(mutate, der);
        if (!changed.equals(der)) assert.equal(resultOf(csrPem(changed)), "refused");
      },
    ),
    RUNS,
  );
});

test("a CSR with changed PEM is refused, or decodes to the same request", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ORIGINALS),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      ({ pem, der }, mutations) => {
        const changed = mutations.reduce(mutate, Buffer.from(pem)).toString("latin1");
        const result = resultOf(changed);
        if (result !== "refused") assert.deepEqual(derOf(changed), der);
      },
    ),
    RUNS,
  );
});

test("arbitrary text and arbitrary bytes are refused", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (text) => resultOf(text) === "refused"),
    RUNS,
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 400 }),
      (bytes) => resultOf(csrPem(Buffer.from(bytes))) === "refused",
    ),
    RUNS,
  );
});

/** Returns the key of an accepted CSR in hex, or `refused`; any error other than `invalid_csr` fails the test. */
function resultOf(pem: string): string {
  try {
    return readCsr(pem).spki.toString("hex");
  } catch (error) {
    assert.ok(isMusterError(error, "invalid_csr"), String(error));
    return "refused";
  }
}

function mutate(bytes: Buffer, { kind, at, bytes: other }: Mutation): Buffer {
  const position = Math.floor(at * bytes.length);
  const before = bytes.subarray(0, position);
  const after = bytes.subarray(position);
  if (kind === "overwrite") return Buffer.concat([before, other, after.subarray(other.length)]);
  if (kind === "insert") return Buffer.concat([before, other, after]);
  if (kind === "delete") return Buffer.concat([before, after.subarray(other.length)]);
  if (kind === "repeat") return Buffer.concat([before, after.subarray(0, other.length), after]);
  return before;
}

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----/g, "").trim(), "base64");
}
