import { hash, type KeyObject, verify } from "node:crypto";
import { contextTag, type DerElement, DerError, TAG } from "../der/der-reader.ts";
import { readSigned } from "../der/signed.ts";
import { invalidCsr } from "../errors.ts";
import { ecdsaHash, importP256, isP256Spki, p256Signature } from "../keys/ecdsa.ts";
import { checkAttributes, checkName } from "./csr-content.ts";
import { decodeCsrPem } from "./csr-pem.ts";
import { otherKeyProblem } from "./key-kind.ts";

/** All that a certificate takes from a CSR: the public key, whose private key the sender has proved to possess. */
export interface CsrResult {
  /** SubjectPublicKeyInfo, DER, 91 octets: an uncompressed P-256 point. */
  readonly spki: Buffer;
  /** SHA-256 of {@link spki}, for finding blocked and shared keys. */
  readonly spkiSha256: Buffer;
  readonly publicKey: KeyObject;
}

/**
 * Validates a PKCS#10 request (RFC 2986) in PEM and verifies that its sender has the private key. Cheap checks come
 * first. Only the public key of the request is used.
 *
 * @throws MusterError invalid_csr with a message that names the broken rule and does not repeat any of the input
 */
export function readCsr(pem: string): CsrResult {
  const der = decodeCsrPem(pem);
  try {
    const request = readRequest(der);
    const publicKey = importKey(request.spki);
    checkPossession(request, publicKey);
    return { spki: request.spki, spkiSha256: hash("sha256", request.spki, "buffer"), publicKey };
  } catch (error) {
    if (error instanceof DerError) throw invalidCsr(error.message);
    throw error;
  }
}

interface Request {
  signed: Buffer;
  spki: Buffer;
  algorithm: "sha256" | "sha384" | "sha512";
  signature: Buffer;
}

function readRequest(der: Buffer): Request {
  const { body, algorithm, signature } = readSigned(der, "CSR");
  return {
    spki: readInfo(body),
    algorithm: ecdsaHash(algorithm),
    signature: p256Signature(signature),
    signed: body.whole(),
  };
}

const VERSION_1 = Buffer.of(0);

/**
 * Reads a CertificationRequestInfo: version 0, any subject, a P-256 key, attributes. Returns the SubjectPublicKeyInfo.
 */
function readInfo(info: DerElement): Buffer {
  const reader = info.enter();
  const version = reader.read(TAG.integer, "CSR's version");
  if (!version.hasContent(VERSION_1)) throw new DerError("The CSR's version is not 0.");
  checkName(reader.read(TAG.sequence, "CSR's subject"));
  const spki = reader.read(TAG.sequence, "CSR's public key").whole();
  if (!isP256Spki(spki)) throw new DerError(otherKeyProblem(spki));
  checkAttributes(reader.read(contextTag(0), "CSR's attribute list"));
  reader.finish("CSR's body");
  return spki;
}

function importKey(spki: Buffer): KeyObject {
  try {
    return importP256(spki);
  } catch {
    throw invalidCsr("The CSR's public key is not a point on the P-256 curve.");
  }
}

function checkPossession(request: Request, publicKey: KeyObject): void {
  if (!verify(request.algorithm, request.signed, publicKey, request.signature)) {
    throw invalidCsr("The CSR's signature does not verify with its own public key.");
  }
}
