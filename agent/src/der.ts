/**
 * The DER constructs of a PKCS#10 request (X.690 8 and 10); the agent writes DER but never reads it. An ASN.1 library
 * is not used, because one fixed structure needs 30 lines and devices install this package.
 */

const SHORT_FORM_LIMIT = 0x80;

/** Encodes tag, minimal length, and content. */
export function tlv(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), length(body.length), body]);
}

/** Encodes a length in as few octets as possible (X.690 10.1). */
function length(n: number): Buffer {
  if (n < SHORT_FORM_LIMIT) return Buffer.of(n);
  const octets: number[] = [];
  for (let rest = n; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from([SHORT_FORM_LIMIT | octets.length, ...octets]);
}

export const sequence = (...content: Uint8Array[]): Buffer => tlv(0x30, ...content);

/** Encodes a bit string of whole octets (no unused bits). */
export const bitString = (bytes: Uint8Array): Buffer => tlv(0x03, Buffer.of(0), bytes);

/** Converts DER to PEM, 64 columns, with a final newline (RFC 7468 2). */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
