import { createHmac } from "node:crypto";

/**
 * What a group's webhook is signed with (Standard Webhooks: `whsec_` and base64). Derived, so nothing is kept, it can be
 * shown again, and every group and address has its own.
 *
 * @param key of the master key, for this purpose alone
 */
export function webhookSecret(key: Buffer, groupId: string, target: string): string {
  return `whsec_${createHmac("sha256", key).update(`${groupId}\n${target}`).digest("base64")}`;
}

/** The headers of Standard Webhooks for a body. `id` is the same at every attempt, the time is the attempt's. */
export function signatureHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
