/** PEM of one certificate: 64 characters a line, ending in a newline (RFC 7468). */
export function certificatePem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(LINE, "$&\n")}-----END CERTIFICATE-----\n`;
}

const LINE = /.{1,64}/g;
const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** The DER of every certificate in a PEM bundle, in order; text between the blocks is ignored. */
export function certificatesFromPem(bundle: string): Buffer[] {
  return [...bundle.matchAll(CERTIFICATE_BLOCK)].map((block) => Buffer.from(block[1]!, "base64"));
}
