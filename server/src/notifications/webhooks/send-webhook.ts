import { linkOf } from "../channels/confirmation-token.ts";
import type { ClaimedRow } from "../delivery/claim-store.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { ConfirmationMessage, Message } from "../message.ts";
import { callTarget } from "./call-target.ts";
import type { SecretSeeds } from "./signing-store.ts";
import { signatureHeaders, webhookSecret } from "./webhook-secret.ts";

/**
 * POSTs a message as specified by Standard Webhooks. Any 2xx is a success. A redirect is a failure, because following
 * it would bypass the check of the address.
 */
export async function sendWebhook(
  deps: Omit<NotificationsDeps, "secrets">,
  delivery: ClaimedRow,
  seeds: SecretSeeds,
  abandon: AbortSignal,
): Promise<Outcome> {
  const { payload } = delivery;
  const link = payload.type === "channel.confirmation" ? linkOf(deps, payload) : undefined;
  const body = JSON.stringify(link ? confirmationBody(payload as ConfirmationMessage, link) : toBody(payload));
  const secrets = deps
    .webhookKeys()
    .flatMap((key) =>
      seeds.map((seed) => webhookSecret(key, delivery.user_id ?? delivery.group_id!, delivery.target, seed)),
    );
  const headers = {
    "content-type": "application/json",
    "user-agent": "Muster-Webhooks/1",
    ...signatureHeaders(secrets, delivery.id, deps.clock.now(), body),
  };
  const called = await callTarget(deps, { method: "POST", url: delivery.target, headers, body }, abandon);
  if ("sent" in called) return called;
  const outcome = interpret(called.status);
  return outcome.sent && link && echoes(called.text, link.token) ? { sent: true, echoed: link.token } : outcome;
}

/** Builds the payload structure that Standard Webhooks recommends. */
function toBody(payload: Message): object {
  const { type, at, timeZone: _, ...data } = payload;
  return { type, timestamp: at, data };
}

/**
 * Builds the confirmation request for the receiver of a new webhook: to answer with the challenge, or to have the
 * address opened.
 */
function confirmationBody(
  { type, at, group, user, expiresAt }: ConfirmationMessage,
  link: { url: string; token: string },
): object {
  return {
    type,
    timestamp: at,
    data: { ...(user ? { user } : { group }), challenge: link.token, confirmUrl: link.url, expiresAt },
  };
}

/** Checks whether an answer consists of the challenge, as text (as in WebSub) or as `{"challenge": "…"}`. */
function echoes(text: string, challenge: string): boolean {
  if (text.trim() === challenge) return true;
  try {
    return JSON.parse(text)?.challenge === challenge;
  } catch {
    return false;
  }
}

function interpret(status: number): Outcome {
  if (status >= 200 && status < 300) return { sent: true };
  return failed(`answered ${status}`, status === 410 ? { final: true, gone: true } : {});
}
