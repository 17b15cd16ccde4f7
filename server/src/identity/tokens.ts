import { createHash } from "node:crypto";
import type { Ids } from "../lib/ids.ts";

/** Generates a 256-bit secret as 43 characters of base64url. */
export function makeToken(ids: Ids): string {
  return ids.bytes(32).toString("base64url");
}

/** Returns the stored hash of a token. It needs no salt, since a token cannot be guessed. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Returns whether `text` has the shape of a token, so that other text is refused without a query. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
