import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Ids } from "../lib/ids.ts";

const generate = promisify(generateKeyPair);

/** A key pair made for a device that cannot make its own (spec 2.4). It is handed out once and kept nowhere. */
export interface DeviceKey {
  /** Unencrypted PKCS#8, PEM. */
  readonly privateKeyPem: string;
  /** The same, DER. */
  readonly privateKeyPkcs8: Buffer;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
}

/** A fresh P-256 key pair, made on the thread pool. */
export async function generateDeviceKey(): Promise<DeviceKey> {
  const { privateKey, publicKey } = await generate("ec", { namedCurve: "P-256" });
  return {
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    privateKeyPkcs8: privateKey.export({ type: "pkcs8", format: "der" }),
    spki: publicKey.export({ type: "spki", format: "der" }),
  };
}

/** Crockford's base32 in lower case: no i, l, o or u to misread. */
const READABLE = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 6;
const GROUP_CHARACTERS = 4;

/** A passphrase of 120 random bits, six groups of four characters: `7k2m-…`. ASCII, as PKCS#12 readers disagree on more. */
export function newPassphrase(ids: Pick<Ids, "bytes">): string {
  const characters = Array.from(ids.bytes(GROUPS * GROUP_CHARACTERS), (octet) => READABLE[octet & 31]!);
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    characters.slice(at * GROUP_CHARACTERS, (at + 1) * GROUP_CHARACTERS),
  );
  return groups.map((group) => group.join("")).join("-");
}
