import { createHash } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";

/** Crockford's base32: no I, L, O or U to misread. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** The length of a code. Its 80 random bits cannot be guessed, even by an attacker who has the hashes. */
const CHARACTERS = 16;

/** Generates a recovery code in the form that its user stores: `7K3M-0Q8Z-XT4V-91BC`. */
export function makeRecoveryCode(ids: Pick<Ids, "bytes">): string {
  const characters = Array.from(ids.bytes(CHARACTERS), (octet) => ALPHABET[octet & 31]!).join("");
  return characters.match(/.{4}/g)!.join("-");
}

/**
 * Returns the characters of a typed code; `undefined` when it cannot be one. Case, dashes and blanks are ignored; I and
 * L are read as 1 and O as 0, as in Crockford's decoding.
 */
export function normalizeRecoveryCode(typed: string): string | undefined {
  const compact = typed.replaceAll(/[\s-]/g, "").toUpperCase().replace(/[IL]/g, "1").replaceAll("O", "0");
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(compact) ? compact : undefined;
}

/** Returns the stored hash of a code. It covers the user, so equal codes of two users have different hashes. */
export function recoveryCodeHash(userId: string, code: string): Buffer {
  const text = JSON.stringify(["recovery code", userId, normalizeRecoveryCode(code)]);
  return createHash("sha256").update(text).digest();
}
