import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Ids } from "../../lib/ids.ts";

const generate = promisify(generateKeyPair);

/** A key pair for a device that cannot generate one (spec 2.4). It is returned once and never stored. */
export interface DeviceKey {
  /** Unencrypted PKCS#8, PEM. */
  readonly privateKeyPem: string;
  /** The unencrypted PKCS#8, DER. */
  readonly privateKeyPkcs8: Buffer;
  /** The SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
}

/** Generates a P-256 key pair on the thread pool. */
export async function generateDeviceKey(): Promise<DeviceKey> {
  const { privateKey, publicKey } = await generate("ec", { namedCurve: "P-256" });
  return {
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    privateKeyPkcs8: privateKey.export({ type: "pkcs8", format: "der" }),
    spki: publicKey.export({ type: "spki", format: "der" }),
  };
}

/** Crockford's base32 in lower case, without the letters i, l, o and u, which are easily misread. */
const READABLE = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 6;
const GROUP_CHARACTERS = 4;

/**
 * Generates a passphrase of 120 random bits, six groups of four characters: `7k2m-…`. It is ASCII, because PKCS#12
 * readers encode other characters differently.
 */
export function newPassphrase(ids: Pick<Ids, "bytes">): string {
  const characters = Array.from(ids.bytes(GROUPS * GROUP_CHARACTERS), (octet) => READABLE[octet & 31]!);
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    characters.slice(at * GROUP_CHARACTERS, (at + 1) * GROUP_CHARACTERS),
  );
  return groups.map((group) => group.join("")).join("-");
}
