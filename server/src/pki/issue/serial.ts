import type { Ids } from "../../lib/ids.ts";

const SERIAL_HEX = /^[0-7][0-9a-f]{31}$/;

/**
 * Generates a certificate serial number: 16 random octets whose top bit is clear and whose top octet is not zero, so
 * that the DER INTEGER always has 16 positive octets (RFC 5280 4.1.2.2). It is lower-case hex, as stored, printed and
 * put in the subject.
 */
export function newSerialNumber(ids: Pick<Ids, "bytes">): string {
  for (;;) {
    const octets = ids.bytes(16);
    octets[0]! &= 0x7f;
    if (octets[0] !== 0) return octets.toString("hex");
  }
}

/** Returns whether `text` has the form of a {@link newSerialNumber}. */
export function isSerialNumber(text: string): boolean {
  return SERIAL_HEX.test(text) && !text.startsWith("00");
}
