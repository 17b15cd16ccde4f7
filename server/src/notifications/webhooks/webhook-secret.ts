import { createHmac, type KeyObject } from "node:crypto";

/**
 * Derives the signing secret of a group's or user's webhook (Standard Webhooks: `whsec_` and base64). It is not stored,
 * and each owner and address has its own.
 *
 * @param key derived from the master key for this purpose alone
 * @param seed distinguishes this secret from the webhook's earlier ones
 */
export function webhookSecret(key: KeyObject | Buffer, ownerId: string, target: string, seed: string): string {
  return `whsec_${createHmac("sha256", key).update([ownerId, target, seed].join("\n")).digest("base64")}`;
}

/**
 * Returns the Standard Webhooks headers for a body. `id` stays the same in all attempts; `at` is the time of the
 * attempt.
 *
 * @param secrets the current one, then former ones; a receiver accepts the message if any signature matches its secret
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
