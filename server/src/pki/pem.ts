/** Encodes one certificate as PEM: 64 characters per line, ending in a newline (RFC 7468). */
export function certificatePem(der: Buffer): string {
  const base64 = der.toString("base64");
  let pem = "-----BEGIN CERTIFICATE-----\n";
  // This is a loop because every leaf passes here and a regular expression takes five times as long.
  for (let at = 0; at < base64.length; at += 64) pem += `${base64.slice(at, at + 64)}\n`;
  return `${pem}-----END CERTIFICATE-----\n`;
}

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** Returns the DER of every certificate in a PEM bundle, in order; text between the blocks is ignored. */
export function certificatesFromPem(bundle: string): Buffer[] {
  return [...bundle.matchAll(CERTIFICATE_BLOCK)].map((block) => Buffer.from(block[1]!, "base64"));
}
