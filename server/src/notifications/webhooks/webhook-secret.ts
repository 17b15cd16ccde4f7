import { createHmac, type KeyObject } from "node:crypto";

/**
 * The signing secret of the webhook of a group or user (Standard Webhooks: `whsec_` and base64). It is derived, so it is not stored;
 * every owner and address has its own.
 *
 * @param key derived from the master key for this purpose alone
 * @param seed makes this secret differ from those that the webhook had before
 */
export function webhookSecret(key: KeyObject | Buffer, ownerId: string, target: string, seed: string): string {
  return `whsec_${createHmac("sha256", key).update([ownerId, target, seed].join("\n")).digest("base64")}`;
}

/**
 * The headers of Standard Webhooks for a body. `id` is the same at every attempt; `at` is the time of the attempt.
 *
 * @param secrets the present one, then former ones: a receiver accepts the message if one of the signatures is that of its secret
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
