import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { bitString, pem, sequence, tlv } from "./der.ts";

const VERSION_0 = tlv(0x02, Buffer.of(0));
/** Empty, because the service assigns the subject and ignores the one in the request (spec 2.2). */
const EMPTY_NAME = sequence();
const NO_ATTRIBUTES = tlv(0xa0);
/** 1.2.840.10045.4.3.2, ecdsa-with-SHA256, without parameters (RFC 5758 3.2). */
const ECDSA_WITH_SHA256 = sequence(tlv(0x06, Buffer.from("2a8648ce3d040302", "hex")));

/** Creates a new P-256 private key as PKCS#8 PEM. It never leaves the device (spec 1). */
export async function makeKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ format: "pem", type: "pkcs8" }) as string;
}

/**
 * Creates a PKCS#10 request (RFC 2986) for `key`, as PEM, signed with ECDSA over SHA-256.
 *
 * @param key a P-256 private key, PEM or key object
 * @throws TypeError for any other key
 */
export function makeCsr(key: string | KeyObject): string {
  const privateKey = typeof key === "string" ? createPrivateKey(key) : key;
  if (privateKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new TypeError("the key is not on P-256");
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const info = sequence(VERSION_0, EMPTY_NAME, publicKey, NO_ATTRIBUTES);
  return pem("CERTIFICATE REQUEST", sequence(info, ECDSA_WITH_SHA256, bitString(sign("sha256", info, privateKey))));
}
