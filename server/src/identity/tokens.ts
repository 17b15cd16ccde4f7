import { createHash } from "node:crypto";
import type { Ids } from "../lib/ids.ts";

/** A secret of 256 bits, 43 characters of base64url. */
export function makeToken(ids: Ids): string {
  return ids.bytes(32).toString("base64url");
}

/** What is stored of a token. No salt: a token cannot be guessed. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Whether `text` can be a token, so that other text is refused without a query. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
