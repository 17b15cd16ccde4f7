import { constants } from "node:crypto";
import type { SecureContextOptions } from "node:tls";
import { keyExchangeGroups } from "./key-exchange.ts";

/**
 * RFC 9325: TLS 1.3 and, for TLS 1.2, only ephemeral ECDH with authenticated encryption; Node's default list still
 * offers CBC.
 */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/**
 * The groups that both listeners offer. Node's own list would also admit finite-field groups, which cost the server far
 * more.
 */
const GROUPS = keyExchangeGroups();

/** The issuers of client certificates, PEM. */
export interface ClientIssuers {
  /** The trusted certificates: roots only, so that a leaf without its intermediate does not verify (spec 4.10). */
  deviceRoots: string;
  /** Certificates whose names the server asks for as well, and that verify nothing (`pki/issue/name-carrier.ts`). */
  issuerNames?: string | undefined;
}

/**
 * Returns the TLS settings of a listener that verifies client certificates. Session tickets are disabled, because a
 * resumed session skips the verification.
 */
export function mutualTls(
  { cert, key }: { cert: string; key: string },
  { deviceRoots, issuerNames = "" }: ClientIssuers,
): SecureContextOptions {
  return {
    cert,
    key,
    ca: deviceRoots + issuerNames,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    ecdhCurve: GROUPS,
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}
