import { verifyClientChain } from "../pki/pki.ts";

/** `verifyClientChain` in the shape of a TLS verdict. */
export function verifiedBy(
  roots: readonly Buffer[],
  leafDer: Buffer,
  intermediateDers: readonly Buffer[],
  now: Date,
): { verified: boolean; problem?: string } {
  const result = verifyClientChain(leafDer, intermediateDers, roots, now);
  return result.ok ? { verified: true } : { verified: false, problem: result.problem };
}
