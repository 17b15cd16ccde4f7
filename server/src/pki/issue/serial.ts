import type { Ids } from "../../lib/ids.ts";

const SERIAL_HEX = /^[0-7][0-9a-f]{31}$/;

/**
 * A certificate serial number: 16 random octets with the top bit clear and the top octet not zero, so that it is always
 * 16 octets of positive DER INTEGER (RFC 5280 4.1.2.2). Lower-case hex, as it is stored, printed and put in the subject.
 */
export function newSerialNumber(ids: Pick<Ids, "bytes">): string {
  for (;;) {
    const octets = ids.bytes(16);
    octets[0]! &= 0x7f;
    if (octets[0] !== 0) return octets.toString("hex");
  }
}

/** Whether `text` is a serial number as {@link newSerialNumber} makes them. */
export function isSerialNumber(text: string): boolean {
  return SERIAL_HEX.test(text) && !text.startsWith("00");
}
