import { createCipheriv, createECDH, createHash, hkdfSync, type KeyObject, sign } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";

/** The keys of a browser's subscription (RFC 8291 3). */
export interface SubscriptionKeys {
  /** The public key, an uncompressed point of P-256 with 65 octets. */
  p256dh: Buffer;
  /** The authentication secret of 16 octets. */
  auth: Buffer;
}

const RECORD_OCTETS = 4_096;
const TAG_OCTETS = 16;
/** The delimiter of the last record (RFC 8188 2). */
const LAST = Buffer.from([2]);
/** A token of VAPID is valid for at most a day (RFC 8292 2). */
const TOKEN_SECONDS = 12 * 3_600;

/**
 * Encrypts a message for one browser, as one record of `aes128gcm` (RFC 8291 4, RFC 8188 2).
 *
 * @param given the sender's private key and the salt, for the test vector of the RFC; random otherwise
 */
export function encryptPush(
  plain: Buffer,
  { p256dh, auth }: SubscriptionKeys,
  ids: Pick<Ids, "bytes">,
  given: { privateKey?: Buffer; salt?: Buffer } = {},
): Buffer {
  const ecdh = createECDH("prime256v1");
  if (given.privateKey) ecdh.setPrivateKey(given.privateKey);
  else ecdh.generateKeys();
  const sender = ecdh.getPublicKey();
  const salt = given.salt ?? ids.bytes(16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), p256dh, sender]);
  const secret = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(p256dh), auth, info, 32));
  const derive = (label: string, octets: number) =>
    Buffer.from(hkdfSync("sha256", secret, salt, Buffer.from(`Content-Encoding: ${label}\0`), octets));
  const cipher = createCipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12), {
    authTagLength: TAG_OCTETS,
  });
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_OCTETS);
  header.writeUInt8(sender.length, 4);
  const body = [cipher.update(Buffer.concat([plain, LAST])), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, header, sender, ...body]);
}

/** The key pair with which this installation identifies itself to push services. */
export interface PushKey {
  privateKey: KeyObject;
  /** The uncompressed point, 65 octets. */
  publicKey: Buffer;
}

/** Returns the `Authorization` of a request to a push service: a token signed with ES256 (RFC 8292 3). */
export function vapid({ privateKey, publicKey }: PushKey, endpoint: URL, contact: string, now: Date): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const expires = Math.floor(now.getTime() / 1_000) + TOKEN_SECONDS;
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part({ aud: endpoint.origin, exp: expires, sub: contact })}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey.toString("base64url")}`;
}

/** Returns a `Topic`, by which a push service replaces an undelivered message about the same anomaly (RFC 8030 5.4). */
export function topicOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 32);
}
