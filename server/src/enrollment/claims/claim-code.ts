import { createHmac, type KeyObject } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";

/** Crockford's base32: no I, L, O or U to misread. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PREFIX = "CLAIM";
const CHARACTERS = 12;
/** The length limit, above that of any spelling of a code; longer input is refused unread. */
const LONGEST_INPUT = 64;

/** Generates a claim code of 60 random bits: `CLAIM-XXXX-XXXX-XXXX` (spec 2.1). */
export function newClaimCode(ids: Pick<Ids, "bytes">): string {
  const characters = Array.from(ids.bytes(CHARACTERS), (octet) => ALPHABET[octet & 31]!).join("");
  return `${PREFIX}-${characters.match(/.{4}/g)!.join("-")}`;
}

/**
 * Returns the twelve significant characters of a typed code; `undefined` when it cannot be one. Case, dashes and
 * surrounding blanks are ignored; I and L are read as 1 and O as 0, as in Crockford's decoding.
 */
export function normalizeClaimCode(typed: string): string | undefined {
  if (typed.length > LONGEST_INPUT) return undefined;
  const compact = typed.trim().replaceAll("-", "");
  const match = /^claim([0-9a-z]{12})$/i.exec(compact);
  const code = match?.[1]?.toUpperCase().replace(/[IL]/g, "1").replaceAll("O", "0");
  return code?.includes("U") ? undefined : code;
}

/**
 * Returns the HMAC under which a code is stored and looked up; without the master key it does not reveal the code.
 *
 * @param key a KeyObject, because Node spends 11 µs on wrapping a bare key each time
 */
export function claimCodeHmac(code: string, key: KeyObject): Buffer {
  return createHmac("sha256", key).update(code).digest();
}

/** Returns the characters that stay readable in lists. */
export function claimCodeHint(code: string): string {
  return code.slice(-4);
}
