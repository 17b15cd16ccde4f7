import { hash } from "node:crypto";

const BLOCK = 64;
const MAC_KEY_ID = 3;

/**
 * Derives the MAC key of a PKCS#12 file (RFC 7292, appendix B.2, with SHA-256 and ID 3). One block of that algorithm
 * suffices, because the key is as long as the hash. The passphrase is UTF-16 with a terminating zero (appendix B.1).
 * `node:crypto` has no such function.
 */
export function pkcs12MacKey(passphrase: string, salt: Buffer, iterations: number): Buffer {
  const secret = Buffer.from(`${passphrase}\0`, "utf16le").swap16();
  let digest = hash(
    "sha256",
    Buffer.concat([Buffer.alloc(BLOCK, MAC_KEY_ID), stretch(salt), stretch(secret)]),
    "buffer",
  );
  for (let round = 1; round < iterations; round++) digest = hash("sha256", digest, "buffer");
  return digest;
}

/** Returns `octets` repeated to a whole number of hash blocks. */
function stretch(octets: Buffer): Buffer {
  return Buffer.alloc(BLOCK * Math.ceil(octets.length / BLOCK), octets);
}
