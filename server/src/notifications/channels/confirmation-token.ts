import { createHash, createHmac, type KeyObject } from "node:crypto";
import type { NotificationsDeps } from "../deps.ts";
import type { ConfirmationMessage } from "../message.ts";

/**
 * The secret part of a confirmation link. It is derived, so that each attempt to send the link sends the same one although only its hash
 * is stored; without the master key it cannot be computed from what is stored.
 *
 * @param key that of the secrets of webhooks, none of which is derived from such a text
 * @param confirmation a random id of the request
 */
export function confirmationToken(key: KeyObject, confirmation: string): string {
  return createHmac("sha256", key).update(`channel confirmation\n${confirmation}`).digest("base64url");
}

/** What is stored of a token. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Whether a text has the form of a token: 32 bytes in base64url. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The link of a confirmation message, and the token in it. A message that was recorded under a former key keeps its token. */
export function linkOf(
  { webhookKeys, baseUrl }: Pick<NotificationsDeps, "webhookKeys" | "baseUrl">,
  { confirmation, tokenSha256 }: Pick<ConfirmationMessage, "confirmation" | "tokenSha256">,
): { url: string; token: string } {
  const tokens = webhookKeys().map((key) => confirmationToken(key, confirmation));
  const token = tokens.find((each) => tokenHash(each).toString("hex") === tokenSha256) ?? tokens[0]!;
  return { token, url: `${baseUrl()}/confirm/${token}` };
}
