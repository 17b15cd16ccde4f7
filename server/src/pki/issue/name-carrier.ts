import { generateKeyPairSync, sign } from "node:crypto";
import { addMs, DAY } from "../../lib/clock.ts";
import { KEY_USAGE } from "../der/oids.ts";
import { certificatePem } from "../pem.ts";
import { readCertificate } from "../verify/read-certificate.ts";
import { authorityKeyIdentifier, keyIdentifier, keyUsage, NOT_A_CA, subjectKeyIdentifier } from "./extensions.ts";
import { certificate, commonNameOnly, tbsCertificate } from "./tbs.ts";

const LONG_AGO = new Date("2000-01-01T00:00:00Z");
const SERIAL_NUMBER = "01";

/**
 * Returns a certificate, PEM, that brings the name of an authority into the `certificate_authorities` of a TLS
 * CertificateRequest (RFC 8446 4.2.4) and verifies nothing.
 *
 * Clients such as those of Go and Java send their certificate only if its issuer is named there. Node names exactly the
 * certificates of `ca`, and OpenSSL would complete chains with an intermediate that it finds among them. The carrier
 * has the authority's subject and nothing else of it: its key exists only in this function, it is not an authority, is
 * not self-signed and has expired, so no chain can lead to or through it.
 */
export function nameCarrier(authorityDer: Buffer): string {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ format: "der", type: "spki" });
  const keyId = keyIdentifier(spki);
  const tbs = tbsCertificate({
    serialNumber: SERIAL_NUMBER,
    issuer: commonNameOnly("Name of an authority, for certificate requests"),
    notBefore: LONG_AGO,
    notAfter: addMs(LONG_AGO, DAY),
    subject: readCertificate(authorityDer).subjectDer,
    spki,
    extensions: [
      NOT_A_CA,
      keyUsage(KEY_USAGE.digitalSignature),
      subjectKeyIdentifier(keyId),
      authorityKeyIdentifier(keyId),
    ],
  });
  return certificatePem(certificate(tbs, sign("sha256", tbs, privateKey)));
}
