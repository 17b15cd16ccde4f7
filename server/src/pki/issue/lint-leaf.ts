import { HOUR } from "../../lib/clock.ts";
import { DerReader, TAG } from "../der/der-reader.ts";
import { ECDSA_WITH_SHA256, OID } from "../der/oids.ts";
import { issuanceFailed } from "../errors.ts";
import { isP256Spki } from "../keys/ecdsa.ts";
import { readBody } from "../verify/read-certificate.ts";
import type { IssuerCertificate } from "./issuer.ts";
import { platform } from "./profiles.ts";

/**
 * Checks a certificate before it is signed, from its bytes alone. Even with a defect elsewhere, the signer signs no
 * intermediate, no server certificate and no leaf that is valid for too long.
 *
 * @throws MusterError issuance_failed
 */
export function lintLeaf(tbs: Buffer, issuer: IssuerCertificate): void {
  const broken = brokenRule(tbs, issuer);
  if (broken !== undefined) throw issuanceFailed(`The signer refused: ${broken}.`);
}

const LONGEST_VALIDITY = platform.validMs + HOUR;

function brokenRule(tbs: Buffer, issuer: IssuerCertificate): string | undefined {
  const { facts, algorithm } = readTbs(tbs);
  if (!algorithm.equals(ECDSA_WITH_SHA256)) return "the algorithm is not ECDSA with SHA-256";
  if (!facts.issuerDer.equals(issuer.subject)) return "the issuer is not this authority";
  if (facts.authorityKeyIdentifier?.equals(issuer.subjectKeyIdentifier) !== true)
    return "the authority key identifier is not that of this authority";
  if (facts.subjectSerialNumber !== facts.serialNumber) return "the subject does not repeat the serial number";
  if (facts.serialNumber.length !== 32) return "the serial number is not 16 octets";
  if (facts.notAfter > issuer.notAfter) return "the certificate would outlive its issuer";
  if (facts.notAfter.getTime() - facts.notBefore.getTime() > LONGEST_VALIDITY) return "the validity is too long";
  if (!isP256Spki(facts.spki)) return "the key is not P-256";
  if (facts.isCa || facts.keyUsage?.keyCertSign !== false) return "a leaf must not be an authority";
  if (facts.extendedKeyUsage?.length !== 1 || !facts.extendedKeyUsage[0]!.equals(OID.clientAuth)) {
    return "the purpose is not client authentication alone";
  }
  return facts.hasUnknownCritical ? "it contains an unknown critical extension" : undefined;
}

function readTbs(tbs: Buffer): ReturnType<typeof readBody> {
  try {
    const reader = new DerReader(tbs);
    const body = reader.read(TAG.sequence, "certificate's body");
    reader.finish("certificate's body");
    return readBody(body);
  } catch (error) {
    throw issuanceFailed("The signer refused: it cannot be read.", error);
  }
}
