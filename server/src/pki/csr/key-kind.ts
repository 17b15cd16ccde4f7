import { createPublicKey } from "node:crypto";

/** The command for the right key, for a person who has made another one. */
const COMMAND = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem";

/** Names for the curves that OpenSSL calls otherwise than people do. */
const CURVES: Readonly<Record<string, string>> = { prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" };

/** The longest key that is looked at: an RSA key of 16,384 bits. */
const MAX_BYTES = 4_096;

/**
 * Returns why the key of a CSR is refused, with the kind of the key and the command for the right one.
 *
 * @param spki SubjectPublicKeyInfo, DER, that is no uncompressed point of P-256
 */
export function otherKeyProblem(spki: Buffer): string {
  return `The CSR's public key is ${kindOf(spki)}, not an uncompressed point of EC P-256. Make one with "${COMMAND}".`;
}

function kindOf(spki: Buffer): string {
  if (spki.length > MAX_BYTES) return "too long";
  try {
    const { asymmetricKeyType: type = "", asymmetricKeyDetails: details } = createPublicKey({
      key: spki,
      format: "der",
      type: "spki",
    });
    if (type === "rsa" || type === "rsa-pss") return `RSA with ${details?.modulusLength} bits`;
    if (type !== "ec") return `of the kind ${type}`;
    const curve = CURVES[details?.namedCurve ?? ""] ?? details?.namedCurve ?? "an unknown curve";
    return curve === "P-256" ? "a P-256 key in another form" : `EC on ${curve}`;
  } catch {
    return "of an unknown kind";
  }
}
