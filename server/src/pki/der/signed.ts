import { type DerElement, DerReader, TAG } from "./der-reader.ts";

/** The signed body, the name of the algorithm, and the signature. */
export interface Signed {
  body: DerElement;
  algorithm: DerElement;
  signature: DerElement;
}

/**
 * Reads the common envelope of certificates and CSRs (RFC 5280 4.1.1, RFC 2986 4.2), without verifying the signature.
 *
 * @param what its name in messages
 * @throws DerError
 */
export function readSigned(der: Buffer, what: string): Signed {
  const outer = new DerReader(der);
  const parts = outer.read(TAG.sequence, what).enter();
  outer.finish(what);
  const body = parts.read(TAG.sequence, `${what}'s body`);
  const algorithm = parts.read(TAG.sequence, `${what}'s signature algorithm`);
  const signature = parts.read(TAG.bitString, `${what}'s signature`);
  parts.finish(what);
  return { body, algorithm, signature };
}
