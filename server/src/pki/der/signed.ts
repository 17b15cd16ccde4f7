import { type DerElement, DerReader, TAG } from "./der-reader.ts";

/** What is signed, the name of the algorithm, and the signature. */
export interface Signed {
  body: DerElement;
  algorithm: DerElement;
  signature: DerElement;
}

/**
 * Reads the envelope that certificates and CSRs have (RFC 5280 4.1.1, RFC 2986 4.2), without verifying the signature.
 *
 * @param what names it in messages
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
