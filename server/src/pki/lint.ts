import { HOUR } from "../lib/clock.ts";
import { DerReader, TAG } from "./der.ts";
import { isP256Spki } from "./ecdsa.ts";
import { issuanceFailed } from "./errors.ts";
import type { IssuerCertificate } from "./issuer.ts";
import { ECDSA_WITH_SHA256, OID } from "./oids.ts";
import { platform } from "./profiles.ts";
import { readBody } from "./read-certificate.ts";

/**
 * The signer's own look at what it is about to sign, from the bytes alone: a defect elsewhere must not be able to obtain
 * an intermediate, a server certificate or a leaf that lives for ever. Throws `issuance_failed`.
 */
export function lintLeaf(tbs: Buffer, issuer: IssuerCertificate): void {
  const broken = brokenRule(tbs, issuer);
  if (broken !== undefined) throw issuanceFailed(`The signer refused: ${broken}.`);
}

const LONGEST_VALIDITY = platform.validMs + HOUR;

function brokenRule(tbs: Buffer, issuer: IssuerCertificate): string | undefined {
  const { facts, algorithm } = readTbs(tbs);
  if (!algorithm.equals(ECDSA_WITH_SHA256)) return "the algorithm is not ECDSA with SHA-256";
  if (!facts.issuerDer.equals(issuer.subject)) return "the issuer is another one";
  if (facts.authorityKeyIdentifier?.equals(issuer.subjectKeyIdentifier) !== true)
    return "the issuer's key is another one";
  if (facts.subjectSerialNumber !== facts.serialNumber) return "the subject does not repeat the serial number";
  if (facts.serialNumber.length !== 32) return "the serial number is not 16 octets";
  if (facts.notAfter > issuer.notAfter) return "the certificate would outlive its issuer";
  if (facts.notAfter.getTime() - facts.notBefore.getTime() > LONGEST_VALIDITY) return "the validity is too long";
  if (!isP256Spki(facts.spki)) return "the key is not P-256";
  if (facts.isCa || facts.keyUsage?.keyCertSign !== false) return "a leaf cannot be an authority";
  if (facts.extendedKeyUsage?.length !== 1 || !facts.extendedKeyUsage[0]!.equals(OID.clientAuth)) {
    return "the purpose is not client authentication alone";
  }
  return facts.hasUnknownCritical ? "it holds an unknown extension" : undefined;
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
