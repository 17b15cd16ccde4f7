import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { isIPv6 } from "node:net";
import { SECOND } from "../../lib/clock.ts";
import { type PrivateTargets, resolveTarget, TargetRefused } from "../../lib/outgoing/resolve-target.ts";
import { untilAborted } from "../../lib/timeouts.ts";
import { linkOf } from "../channels/confirmation-token.ts";
import type { ClaimedRow } from "../delivery/claim-store.ts";
import { failed, type Outcome } from "../delivery/outcome.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { ConfirmationMessage, Message } from "../message.ts";
import type { SecretSeeds } from "./signing-store.ts";
import { signatureHeaders, webhookSecret } from "./webhook-secret.ts";

/**
 * POSTs a message as specified by Standard Webhooks. Any 2xx is a success. A redirect is a failure, because following
 * it would bypass the check of the address.
 */
export async function sendWebhook(
  deps: NotificationsDeps,
  delivery: ClaimedRow,
  seeds: SecretSeeds,
  abandon: AbortSignal,
): Promise<Outcome> {
  let address: string;
  const url = new URL(delivery.target);
  const signal = AbortSignal.any([AbortSignal.timeout(deps.limits.webhookSeconds * SECOND), abandon]);
  try {
    const target = resolveTarget(url, deps.resolve, privateTargets(deps), signal);
    address = await untilAborted(target, signal);
  } catch (error) {
    return failed(error, { final: error instanceof TargetRefused });
  }
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
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "Muster-Webhooks/1",
    ...signatureHeaders(secrets, delivery.id, deps.clock.now(), body),
  };
  try {
    const { status, text } = await post(url, address, {
      body,
      headers,
      signal,
      mostBytes: deps.limits.webhookAnswerBytes,
    });
    const outcome = interpret(status);
    return outcome.sent && link && echoes(text, link.token) ? { sent: true, echoed: link.token } : outcome;
  } catch (error) {
    const { code } = error as { code?: string };
    return failed(error, { maybeSent: code !== "ECONNREFUSED" && code !== "ENOTFOUND" });
  }
}

function privateTargets({ settings }: NotificationsDeps): PrivateTargets {
  return { allowed: settings.allowPrivateWebhooks, setting: "MUSTER_WEBHOOK_ALLOW_PRIVATE" };
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

/** @returns the status and the text, once the answer has ended or is too long; rejects if none came in time */
function post(
  url: URL,
  address: string,
  {
    body,
    headers,
    signal,
    mostBytes,
  }: { body: string; headers: Record<string, string>; signal: AbortSignal; mostBytes: number },
): Promise<{ status: number; text: string }> {
  const family = isIPv6(address) ? 6 : 4;
  /** Connects to the checked address, whatever the name resolves to now. */
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, lookup, signal, agent: false }, (answer) => {
      const status = answer.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let octets = 0;
      answer.on("data", (chunk: Buffer) => {
        octets += chunk.length;
        if (octets > mostBytes) answer.destroy();
        else chunks.push(chunk);
      });
      answer.on("error", () => undefined);
      answer.on("close", () => resolve({ status, text: Buffer.concat(chunks).toString("utf8") }));
    });
    // Without this listener, Node emits only "close" for an answer of 101.
    sent.on("upgrade", (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 0, text: "" });
    });
    sent.on("error", reject);
    sent.on("close", () => reject(new Error("the connection ended without an answer")));
    sent.end(body);
  });
}
