import { createHash, createHmac, type KeyObject } from "node:crypto";
import type { NotificationsDeps } from "../deps.ts";
import type { ConfirmationMessage } from "../message.ts";

/**
 * Derives the secret part of a confirmation link. Only its hash is stored, so deriving it lets every attempt send the
 * same link. It cannot be computed from the stored data without the master key.
 *
 * @param key the key of webhook secrets, none of which is derived from such a text
 * @param confirmation a random id of the request
 */
export function confirmationToken(key: KeyObject, confirmation: string): string {
  return createHmac("sha256", key).update(`channel confirmation\n${confirmation}`).digest("base64url");
}

/** Returns the stored hash of a token. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Checks whether a text has the form of a token: 32 bytes in base64url. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns the link of a confirmation message, and its token. A message recorded under a former key keeps its token. */
export function linkOf(
  { webhookKeys, baseUrl }: Pick<NotificationsDeps, "webhookKeys" | "baseUrl">,
  { confirmation, tokenSha256 }: Pick<ConfirmationMessage, "confirmation" | "tokenSha256">,
): { url: string; token: string } {
  const tokens = webhookKeys().map((key) => confirmationToken(key, confirmation));
  const token = tokens.find((each) => tokenHash(each).toString("hex") === tokenSha256) ?? tokens[0]!;
  return { token, url: `${baseUrl()}/confirm/${token}` };
}
