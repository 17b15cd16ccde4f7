import { randomIds } from "../../lib/ids.ts";
import { createServerCertificate, createServerRoot, newSerialNumber } from "../../pki/pki.ts";

const VALID_DAYS = 30;

/** A private key, and a certificate followed by the root that signed it; both PEM. */
export interface LoopbackTls {
  key: string;
  cert: string;
}

/**
 * Creates TLS credentials for the demo's webhook receiver on 127.0.0.1. `cert` is both the receiver's chain and the
 * trust anchor of its clients (`NODE_EXTRA_CA_CERTS`).
 */
export function createLoopbackTls(now: Date): LoopbackTls {
  const wanted = (name: string) => ({ name, now, validDays: VALID_DAYS, serialNumber: newSerialNumber(randomIds) });
  const root = createServerRoot(wanted("Muster demo root"));
  const server = createServerCertificate({ ...wanted("Muster demo"), hosts: ["127.0.0.1"] }, root);
  return {
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: server.certificatePem + root.certificatePem,
  };
}
